# Nothing is declared: the module is compiled because encoders look at every batch with it.
