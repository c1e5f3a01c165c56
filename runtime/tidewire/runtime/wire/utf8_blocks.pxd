# Whether many bytes are well-formed UTF-8, sixteen at a time: three tables say of each pair of bytes which mistakes it can be
# a part of (J. Keiser, D. Lemire, "Validating UTF-8 in less than one instruction per byte", 2021). It takes the shuffles of
# SSSE3, which is asked for when it runs: nearly all processors of x86 have them. Compiled modules alone have it.
cdef extern from *:
    """
    #if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
    #include <string.h>
    #include <tmmintrin.h>

    /* The mistakes, a bit each. */
    enum {
        TIDEWIRE_SHORT = 1,      /* a character begins where another one is not at its end */
        TIDEWIRE_LONG = 2,       /* a byte of the middle where a character should begin */
        TIDEWIRE_LONG_3 = 4,     /* three bytes for what takes two */
        TIDEWIRE_LARGE = 8,      /* above U+10FFFF */
        TIDEWIRE_SURROGATE = 16,
        TIDEWIRE_LONG_2 = 32,    /* two bytes for what takes one */
        TIDEWIRE_LARGER = 64,    /* above U+10FFFF, as far as a first byte of F5 or more goes */
        TIDEWIRE_LONG_4 = 64,    /* four bytes for what takes three */
        TIDEWIRE_MIDDLES = 128,  /* two bytes of the middle: right where a character has three bytes or four */
        TIDEWIRE_CARRY = TIDEWIRE_SHORT | TIDEWIRE_LONG | TIDEWIRE_MIDDLES,
        TIDEWIRE_ABOVE = TIDEWIRE_CARRY | TIDEWIRE_LARGE | TIDEWIRE_LARGER,
        TIDEWIRE_MIDDLE = TIDEWIRE_LONG | TIDEWIRE_LONG_2 | TIDEWIRE_MIDDLES
    };

    __attribute__((target("ssse3")))
    static CYTHON_INLINE __m128i tidewire_utf8_mistakes(__m128i block, __m128i before) {
        const __m128i first_high = _mm_setr_epi8(
            TIDEWIRE_LONG, TIDEWIRE_LONG, TIDEWIRE_LONG, TIDEWIRE_LONG,
            TIDEWIRE_LONG, TIDEWIRE_LONG, TIDEWIRE_LONG, TIDEWIRE_LONG,
            (char)TIDEWIRE_MIDDLES, (char)TIDEWIRE_MIDDLES, (char)TIDEWIRE_MIDDLES, (char)TIDEWIRE_MIDDLES,
            TIDEWIRE_SHORT | TIDEWIRE_LONG_2, TIDEWIRE_SHORT, TIDEWIRE_SHORT | TIDEWIRE_LONG_3 | TIDEWIRE_SURROGATE,
            TIDEWIRE_SHORT | TIDEWIRE_LARGE | TIDEWIRE_LARGER | TIDEWIRE_LONG_4);
        const __m128i first_low = _mm_setr_epi8(
            (char)(TIDEWIRE_CARRY | TIDEWIRE_LONG_3 | TIDEWIRE_LONG_2 | TIDEWIRE_LONG_4),
            (char)(TIDEWIRE_CARRY | TIDEWIRE_LONG_2), (char)TIDEWIRE_CARRY, (char)TIDEWIRE_CARRY,
            (char)(TIDEWIRE_CARRY | TIDEWIRE_LARGE), (char)TIDEWIRE_ABOVE, (char)TIDEWIRE_ABOVE, (char)TIDEWIRE_ABOVE,
            (char)TIDEWIRE_ABOVE, (char)TIDEWIRE_ABOVE, (char)TIDEWIRE_ABOVE, (char)TIDEWIRE_ABOVE,
            (char)TIDEWIRE_ABOVE, (char)(TIDEWIRE_ABOVE | TIDEWIRE_SURROGATE), (char)TIDEWIRE_ABOVE, (char)TIDEWIRE_ABOVE);
        const __m128i second_high = _mm_setr_epi8(
            TIDEWIRE_SHORT, TIDEWIRE_SHORT, TIDEWIRE_SHORT, TIDEWIRE_SHORT,
            TIDEWIRE_SHORT, TIDEWIRE_SHORT, TIDEWIRE_SHORT, TIDEWIRE_SHORT,
            (char)(TIDEWIRE_MIDDLE | TIDEWIRE_LONG_3 | TIDEWIRE_LARGER | TIDEWIRE_LONG_4),
            (char)(TIDEWIRE_MIDDLE | TIDEWIRE_LONG_3 | TIDEWIRE_LARGE),
            (char)(TIDEWIRE_MIDDLE | TIDEWIRE_SURROGATE | TIDEWIRE_LARGE),
            (char)(TIDEWIRE_MIDDLE | TIDEWIRE_SURROGATE | TIDEWIRE_LARGE),
            TIDEWIRE_SHORT, TIDEWIRE_SHORT, TIDEWIRE_SHORT, TIDEWIRE_SHORT);
        const __m128i low = _mm_set1_epi8(15);
        __m128i one = _mm_alignr_epi8(block, before, 15);  /* by byte the one before it, and the ones before that */
        __m128i two = _mm_alignr_epi8(block, before, 14), three = _mm_alignr_epi8(block, before, 13);
        __m128i pairs = _mm_shuffle_epi8(first_high, _mm_and_si128(_mm_srli_epi16(one, 4), low));
        __m128i middles;
        pairs = _mm_and_si128(pairs, _mm_shuffle_epi8(first_low, _mm_and_si128(one, low)));
        pairs = _mm_and_si128(pairs, _mm_shuffle_epi8(second_high, _mm_and_si128(_mm_srli_epi16(block, 4), low)));
        /* behind a byte of the middle has to be another one exactly two behind E0 and more, or three behind F0 and more */
        middles = _mm_or_si128(_mm_subs_epu8(two, _mm_set1_epi8(0x60)), _mm_subs_epu8(three, _mm_set1_epi8(0x70)));
        return _mm_xor_si128(_mm_and_si128(middles, _mm_set1_epi8((char)0x80)), pairs);
    }

    __attribute__((target("ssse3")))
    static int tidewire_utf8_blocks(const unsigned char *p, Py_ssize_t size) {
        __m128i before = _mm_setzero_si128(), wrong = _mm_setzero_si128(), block;
        unsigned char rest[16];
        int cut = 0;  /* whether a character may be cut at the end of the block before */
        Py_ssize_t k;
        for (k = 0; k + 16 <= size; k += 16) {
            block = _mm_loadu_si128((const __m128i *)(p + k));
            if (_mm_movemask_epi8(block) | cut) {
                wrong = _mm_or_si128(wrong, tidewire_utf8_mistakes(block, before));
                cut = _mm_movemask_epi8(block) & 0xE000;
            }
            before = block;
        }
        memset(rest, 0, 16);  /* zeros are whole characters: behind one that is cut they are a mistake */
        memcpy(rest, p + k, size - k);
        wrong = _mm_or_si128(wrong, tidewire_utf8_mistakes(_mm_loadu_si128((const __m128i *)rest), before));
        return _mm_movemask_epi8(_mm_cmpeq_epi8(wrong, _mm_setzero_si128())) == 0xFFFF;
    }

    static CYTHON_INLINE int tidewire_has_utf8_blocks(void) {
        return __builtin_cpu_supports("ssse3");
    }
    #else
    #define tidewire_utf8_blocks(p, size) 0
    #define tidewire_has_utf8_blocks() 0
    #endif
    """
    # Whether `utf8_blocks` can be asked.
    bint has_utf8_blocks "tidewire_has_utf8_blocks"() noexcept nogil
    # Whether these bytes are well-formed UTF-8.
    bint utf8_blocks "tidewire_utf8_blocks"(const unsigned char *p, Py_ssize_t size) noexcept nogil
