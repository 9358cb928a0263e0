/** How long a connection is kept whose stream has said all there is to say. */

/** Servers take so long to end a stream after its last frame; then the connection can be used again. */
export const LINGER_MS = 250
/** In streams that need no last frame, counts may still follow a reply that is all there. */
export const COUNTS_MS = 5000
