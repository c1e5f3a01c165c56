"""Plans: what the templates print, one module for each kind of file; all decisions are made here."""
