# Steps of reading a row of a layout already seen in the batch, inlined because calls would cost as much as the work.
# Compiled modules only.
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages
from tidewire.runtime.registered.reading cimport RecordReader

# Adds one row of this layout, and of no other, to the message: `LayoutCache.open` for an open layout.
cdef inline int touch(LayoutCache cache, RegisteredImages images, int message) except -1:
    images.message = message
    images.mark = <int>images.rows
    images.rows += 1
    if cache.num_touched == 0 and not cache.touched:
        cache.touched.append(images)
    elif cache.touched[0] is not images:
        cache.touched[0] = images
    cache.num_touched = 1
    return 0

# `RecordReader.read` up to its fields, for a row of this layout that has been added.
cdef inline int begin(RecordReader record, RecordPlan plan, RegisteredImages images) except -1:
    cdef int k
    for k in range(record.count):
        record.slots[k].given = False
    if record.plan is not plan:
        record.plan = plan
    if record.at_plan is not plan:
        record.at_plan = plan
    if record.images is not images:
        record.images = images
    record.told = plan.told
    record.layout = images.slot
    record.row = images.rows - 1
    record.inner_layout = record.inner_row = -1
    return 0
