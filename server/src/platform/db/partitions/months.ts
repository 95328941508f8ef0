/** A calendar month in UTC. */
export interface Month {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
}

export const monthOf = (time: Date): Month => ({ year: time.getUTCFullYear(), month: time.getUTCMonth() + 1 })

export function addMonths({ year, month }: Month, count: number): Month {
  const index = year * 12 + month - 1 + count
  return { year: Math.floor(index / 12), month: (index % 12) + 1 }
}

export const startOf = ({ year, month }: Month): Date => new Date(Date.UTC(year, month - 1, 1))

/** The smallest UUIDv7 of a month: ids of records begin with the millisecond of their creation. */
export const firstIdOf = (month: Month): string => firstIdAt(startOf(month))

function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The time in a UUIDv7. */
export const timeOfId = (uuid: string): Date => new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16))

export const partitionName = (table: string, { year, month }: Month): string =>
  `${table}_${year}_${String(month).padStart(2, '0')}`
