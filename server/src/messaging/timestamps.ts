import { Type } from 'typebox'

/** Unix time in whole seconds, as the API sends it; milliseconds inside. */
export const Seconds = Type.Integer({ description: 'Unix time in seconds.' })
export const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000)
export const secondsOrNull = (date: Date | null): number | null => (date === null ? null : seconds(date))
