/** Characters of a keyed hash that tell users apart. */
const LENGTH = 8

/** A keyed hash, as lists show a user whose name is not known. */
export const shortHash = (hash: string): string => hash.slice(0, LENGTH)
