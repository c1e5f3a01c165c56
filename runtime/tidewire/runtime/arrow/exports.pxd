# Columns handed to Arrow by its C data interface (https://arrow.apache.org/docs/format/CDataInterface.html): as the
# children of one array of structs, so that it is told of all of them at once.
cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>

    #ifndef ARROW_C_DATA_INTERFACE
    #define ARROW_C_DATA_INTERFACE
    struct ArrowArray {
        int64_t length;
        int64_t null_count;
        int64_t offset;
        int64_t n_buffers;
        int64_t n_children;
        const void **buffers;
        struct ArrowArray **children;
        struct ArrowArray *dictionary;
        void (*release)(struct ArrowArray *);
        void *private_data;
    };
    #endif

    /* What a child points to, in the one piece of memory that all of them share. */
    typedef struct {
        struct ArrowArray array;
        const void *buffers[3];
    } TidewireColumn;

    /* The memory: the objects whose bytes the buffers are in, the pointers to the children, the children. */
    typedef struct {
        PyObject *held;
        const void *no_bitmap;
        struct ArrowArray *children[1];
    } TidewireColumns;

    static void tidewire_release_child(struct ArrowArray *child) {
        child->release = NULL;
    }

    static void tidewire_release(struct ArrowArray *whole) {
        TidewireColumns *columns = (TidewireColumns *)whole->private_data;
        int64_t c;
        for (c = 0; c < whole->n_children; c++)
            if (whole->children[c]->release)
                whole->children[c]->release(whole->children[c]);
        if (columns->held && Py_IsInitialized()) {  /* any thread of Arrow's may let go of it */
            PyGILState_STATE state = PyGILState_Ensure();
            Py_DECREF(columns->held);
            PyGILState_Release(state);
        }
        free(columns);
        whole->release = NULL;
    }

    /* An array of structs without a null, of so many columns, none of which is told yet; -1: there is no memory. */
    static int tidewire_export(struct ArrowArray *whole, int width, int64_t rows) {
        const size_t head = sizeof(TidewireColumns) + width * sizeof(struct ArrowArray *);
        TidewireColumns *columns = (TidewireColumns *)calloc(1, head + width * sizeof(TidewireColumn));
        TidewireColumn *child;
        int c;
        if (!columns)
            return -1;
        child = (TidewireColumn *)((char *)columns + head);
        for (c = 0; c < width; c++, child++) {
            columns->children[c] = &child->array;
            child->array.length = rows;
            child->array.buffers = child->buffers;
            child->array.release = tidewire_release_child;
        }
        memset(whole, 0, sizeof *whole);
        whole->length = rows;
        whole->n_buffers = 1;
        whole->n_children = width;
        whole->buffers = &columns->no_bitmap;
        whole->children = columns->children;
        whole->release = tidewire_release;
        whole->private_data = columns;
        return 0;
    }

    /* Tells a column: its bitmap where it has nulls, and its values or their ends and bytes; of nulls alone, nothing. */
    static CYTHON_INLINE void tidewire_tell(struct ArrowArray *whole, int c, int64_t nulls, const void *bitmap,
                                            const void *values, const void *bytes) {
        struct ArrowArray *child = whole->children[c];
        child->null_count = nulls;
        child->n_buffers = bytes ? 3 : values ? 2 : 0;
        child->buffers[0] = nulls ? bitmap : NULL;
        child->buffers[1] = values;
        child->buffers[2] = bytes;
    }

    /* Keeps an object until nobody has an array any more. */
    static void tidewire_hold(struct ArrowArray *whole, PyObject *held) {
        Py_INCREF(held);
        ((TidewireColumns *)whole->private_data)->held = held;
    }

    /* Lets go of what Arrow has not taken over. */
    static void tidewire_drop(struct ArrowArray *whole) {
        if (whole->release)
            whole->release(whole);
    }
    """
    ctypedef struct ArrowArray "struct ArrowArray":
        pass
    int export_columns "tidewire_export"(ArrowArray *whole, int width, long long rows) except -1
    void tell_column "tidewire_tell"(ArrowArray *whole, int c, long long nulls, const void *bitmap, const void *values, const void *data) noexcept
    void hold "tidewire_hold"(ArrowArray *whole, object held) noexcept
    void drop_export "tidewire_drop"(ArrowArray *whole) noexcept
