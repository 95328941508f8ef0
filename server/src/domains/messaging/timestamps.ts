import { Type } from 'typebox'

export const Seconds = Type.Integer({ description: 'Unix time in seconds.' })
export const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000)
export const secondsOrNull = (date: Date | null): number | null => (date === null ? null : seconds(date))

type InSeconds<T> = T extends Date ? number : T

/** An entity with Unix time for dates, as the views of the messaging API show it. */
export const inSeconds = <T extends object>(entity: T): { readonly [Name in keyof T]: InSeconds<T[Name]> } =>
  Object.fromEntries(Object.entries(entity).map(([name, value]) => [name, value instanceof Date ? seconds(value) : value])) as {
    readonly [Name in keyof T]: InSeconds<T[Name]>
  }
