# The CRC-32 of IEEE 802.3, eight bytes at a time ("slicing by eight"): a table for each of the bytes.
cdef extern from *:
    """
    #include <string.h>

    static unsigned int tw_crc_tables[8][256];

    static void tw_crc_prepare(void) {
        unsigned int n, k, c;
        for (n = 0; n < 256; n++) {
            c = n;
            for (k = 0; k < 8; k++)
                c = c & 1 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
            tw_crc_tables[0][n] = c;
        }
        for (n = 0; n < 256; n++)
            for (k = 1; k < 8; k++)
                tw_crc_tables[k][n] = tw_crc_tables[0][tw_crc_tables[k - 1][n] & 0xFF] ^ (tw_crc_tables[k - 1][n] >> 8);
    }

    /* Of a number of 64 bits, its lowest byte first. State: the complement of the checksum so far. */
    static CYTHON_INLINE unsigned int tw_crc_number(unsigned int state, unsigned long long w) {
        w ^= state;
        return tw_crc_tables[7][w & 0xFF] ^ tw_crc_tables[6][w >> 8 & 0xFF] ^ tw_crc_tables[5][w >> 16 & 0xFF]
            ^ tw_crc_tables[4][w >> 24 & 0xFF] ^ tw_crc_tables[3][w >> 32 & 0xFF] ^ tw_crc_tables[2][w >> 40 & 0xFF]
            ^ tw_crc_tables[1][w >> 48 & 0xFF] ^ tw_crc_tables[0][w >> 56];
    }

    /* Of the lowest four bytes of a number. */
    static CYTHON_INLINE unsigned int tw_crc_short(unsigned int state, unsigned int w) {
        w ^= state;
        return tw_crc_tables[3][w & 0xFF] ^ tw_crc_tables[2][w >> 8 & 0xFF] ^ tw_crc_tables[1][w >> 16 & 0xFF]
            ^ tw_crc_tables[0][w >> 24];
    }

    static CYTHON_INLINE unsigned int tw_crc_bytes(unsigned int state, const unsigned char *p, Py_ssize_t size) {
        for (; size >= 8; size -= 8, p += 8)
            state = tw_crc_number(state, (unsigned long long)p[0] | (unsigned long long)p[1] << 8
                | (unsigned long long)p[2] << 16 | (unsigned long long)p[3] << 24 | (unsigned long long)p[4] << 32
                | (unsigned long long)p[5] << 40 | (unsigned long long)p[6] << 48 | (unsigned long long)p[7] << 56);
        for (; size > 0; size--, p++)
            state = tw_crc_tables[0][(state ^ *p) & 0xFF] ^ (state >> 8);
        return state;
    }

    /* The bits of a number as a float32. */
    static CYTHON_INLINE unsigned int tw_single_bits(double number) {
        float single = (float)number;
        unsigned int bits;
        memcpy(&bits, &single, 4);
        return bits;
    }

    /* The bits of a number. */
    static CYTHON_INLINE unsigned long long tw_double_bits(double number) {
        unsigned long long bits;
        memcpy(&bits, &number, 8);
        return bits;
    }
    """
    void crc_prepare "tw_crc_prepare"()
    unsigned int crc_number "tw_crc_number"(unsigned int state, unsigned long long number)
    unsigned int crc_short "tw_crc_short"(unsigned int state, unsigned int number)
    unsigned int crc_bytes "tw_crc_bytes"(unsigned int state, const unsigned char *p, Py_ssize_t size)
    unsigned int single_bits "tw_single_bits"(double number)
    unsigned long long double_bits "tw_double_bits"(double number)
