import { type CelFunc, CelScalar, type CelValue, celMethod, objectType } from '@bufbuild/cel'

const TIMESTAMP = objectType('google.protobuf.Timestamp')

/** The CEL functions for parts of a timestamp. Their argument is a Date whose UTC fields are the local time. */
const PARTS: Readonly<Record<string, (local: Date) => number>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / 86_400_000),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
}

/** They replace the library's, which depend on the machine's time zone and create a formatter for each call. */
export const timeFunctions = (): CelFunc[] => {
  const formats = new Map<string, Intl.DateTimeFormat>()
  const formatOf = (zone: string): Intl.DateTimeFormat => {
    const format = formats.get(zone) ?? zoneFormat(zone)
    formats.set(zone, format)
    return format
  }
  return Object.entries(PARTS).flatMap(([name, part]) => [
    celMethod(name, TIMESTAMP, [], CelScalar.INT, function () {
      return BigInt(part(toDate(this)))
    }),
    celMethod(name, TIMESTAMP, [CelScalar.STRING], CelScalar.INT, function (zone) {
      return BigInt(part(toLocal(toDate(this), formatOf(zone))))
    }),
  ])
}

/** Throws a RangeError if the time zone does not exist. Offsets are `+02:00` or, as in CEL, `02:00`. */
export const zoneFormat = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: /^\d\d:\d\d$/.test(zone) ? `+${zone}` : zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })

function toLocal(date: Date, format: Intl.DateTimeFormat): Date {
  const parts = new Map(format.formatToParts(date).map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  return new Date(
    Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'), date.getUTCMilliseconds()),
  )
}

const toDate = ({ message }: CelValue<typeof TIMESTAMP>): Date => {
  const { seconds, nanos } = message as unknown as { seconds: bigint; nanos: number }
  return new Date(Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000))
}
