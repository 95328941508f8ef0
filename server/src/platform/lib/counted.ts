/** A number with its noun: `1 record`, `2 records`. `several`: default the noun with an s. */
export const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`
