"""What every encoder does: checks of columns that anybody may have made, and messages that are written."""
