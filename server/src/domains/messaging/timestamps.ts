import { Type } from 'typebox'

/** A time in the messaging API: Unix time in whole seconds. */
export const Seconds = Type.Integer({ description: 'Unix time in seconds.' })
export const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000)
export const secondsOrNull = (date: Date | null): number | null => (date === null ? null : seconds(date))
