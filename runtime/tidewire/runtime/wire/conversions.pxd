cpdef bytes spatial(bytes form, long long srid)
