/*
 * scratch.h: folders for temporary files, and the one of the adapters, which goes when they have
 * gone: one that is killed leaves what it has made.
 */
#pragma once

/*
 * Make the folder in TMPDIR, or in /tmp, and let TMPDIR name it to the children that are started
 * from now on; a second call does nothing.  Where none can be made TMPDIR stays as it is.  The
 * caller holds other threads from starting children.
 */
void cf_scratch_begin(void);
/* Remove it with all that is in it, and let TMPDIR be what it was.  Nothing where there is none. */
void cf_scratch_end(void);
/* Remove a folder with all that is in it; what cannot be removed stays. */
void cf_scratch_remove(const char *path);
