"""Support for protocols of binary sections: their model, and how it is built, checked and printed."""
