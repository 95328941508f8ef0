import type { Kind } from './value-types.ts'

/** A signature of a function: kinds of its arguments (a method's target first) and of its result. */
export interface Overload {
  readonly args: readonly Kind[]
  readonly result: Kind
}

const overload = (args: readonly Kind[], result: Kind): Overload => ({ args, result })
const NUMBERS = ['int', 'double'] as const
const ordered: readonly Overload[] = [
  ...NUMBERS.flatMap((a) => NUMBERS.map((b) => overload([a, b], 'bool'))),
  ...(['string', 'timestamp', 'duration'] as const).map((kind) => overload([kind, kind], 'bool')),
]
const arithmetic = NUMBERS.map((kind) => overload([kind, kind], kind))
const textTest = [overload(['string', 'string'], 'bool')]
const casts = (from: readonly Kind[], to: Kind): readonly Overload[] => from.map((kind) => overload([kind], to))
const size = casts(['string', 'list', 'map'], 'int')
const timePart = [overload(['timestamp'], 'int'), overload(['timestamp', 'string'], 'int')]
const timeOrDurationPart = [...timePart, overload(['duration'], 'int')]

/** By the parser's names. Bytes and unsigned numbers are not supported. check.ts has the rules of `==`, `!=`, `[]` and `in`. */
export const FUNCTIONS: ReadonlyMap<string, readonly Overload[]> = new Map(
  Object.entries({
    '!_': [overload(['bool'], 'bool')],
    '-_': NUMBERS.map((kind) => overload([kind], kind)),
    '_&&_': [overload(['bool', 'bool'], 'bool')],
    '_||_': [overload(['bool', 'bool'], 'bool')],
    '@not_strictly_false': [overload(['bool'], 'bool')],
    '_<_': ordered,
    '_<=_': ordered,
    '_>_': ordered,
    '_>=_': ordered,
    '_+_': [
      ...arithmetic,
      overload(['string', 'string'], 'string'),
      overload(['list', 'list'], 'list'),
      overload(['timestamp', 'duration'], 'timestamp'),
      overload(['duration', 'timestamp'], 'timestamp'),
      overload(['duration', 'duration'], 'duration'),
    ],
    '_-_': [
      ...arithmetic,
      overload(['timestamp', 'timestamp'], 'duration'),
      overload(['timestamp', 'duration'], 'timestamp'),
      overload(['duration', 'duration'], 'duration'),
    ],
    '_*_': arithmetic,
    '_/_': arithmetic,
    '_%_': [overload(['int', 'int'], 'int')],
    size,
    rank: [overload(['string'], 'int')],
    int: casts(['int', 'double', 'string', 'timestamp', 'duration'], 'int'),
    double: casts(['int', 'double', 'string'], 'double'),
    string: casts(['string', 'bool', 'int', 'double', 'timestamp', 'duration'], 'string'),
    bool: casts(['bool', 'string'], 'bool'),
    timestamp: casts(['timestamp', 'string'], 'timestamp'),
    duration: casts(['duration', 'string'], 'duration'),
    dyn: [overload(['any'], 'any')],
  }),
)

const each = (overloads: readonly Overload[], names: readonly string[]) => names.map((name) => [name, overloads] as const)

export const METHODS: ReadonlyMap<string, readonly Overload[]> = new Map([
  ['size', size],
  ...each(textTest, ['contains', 'startsWith', 'endsWith', 'matches']),
  ...each(timePart, ['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear']),
  ...each(timeOrDurationPart, ['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds']),
])
