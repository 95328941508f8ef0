/** Deleting a greater share of the documents must be confirmed: their source is probably unavailable, or another one. */
const MOST_DELETED = 0.2

export const DELETION_PERCENT = MOST_DELETED * 100

export const needsConfirmation = (deleted: number, known: number): boolean => deleted > MOST_DELETED * known
