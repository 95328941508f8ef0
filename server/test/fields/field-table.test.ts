import { describe, expect, test } from 'vitest'
import { UNKNOWN_FIELD } from '../../src/shared/original-request.ts'
import { decode } from '../fuzz/codecs/forward.ts'
import { LEFT_OUT, leftOutRow } from './left-out.ts'
import { fieldsOf } from './sdk-types.ts'
import { APIS, FIELD_GROUPS, type FieldRow, fieldRows } from './table.ts'

// Each known field of each client API, on its way to a provider of each API: the same, translated, refused by name, or left out for a
// documented reason. docs/fields.md is generated from the same rows.

const rows = fieldRows()

/** `row → API` for each outcome that `isWrong` accepts. */
const wrongOnes = (isWrong: (row: FieldRow, index: number) => boolean): readonly string[] =>
  rows.flatMap((row) =>
    APIS.flatMap((to, index) =>
      isWrong(row, index)
        ? [`${row.group.api} ${row.path}: ${JSON.stringify(row.value)} → ${to}: ${JSON.stringify(row.outcomes[index])}`]
        : [],
    ),
  )

const withoutIndices = (param: string): string => param.replaceAll(/\[\d+\]/g, '[]')

/** A refusal may name a field of the object, or the type of an object around the field. */
function isNamed({ group, path }: FieldRow, param: string): boolean {
  const named = withoutIndices(param)
  const around = named.endsWith('.type') ? named.slice(0, -'.type'.length) : undefined
  return named.startsWith(group.at === '' ? path : group.at) || (around !== undefined && path.startsWith(`${around}.`))
}

describe('fields of requests', () => {
  test.each(FIELD_GROUPS.filter(({ types }) => types.length > 0))(
    '$api $at $kind: every field of the official client has a row',
    ({ types, values }) => {
      const known = types.flatMap((type) => fieldsOf(type))
      expect(known.length).toBeGreaterThan(0)
      expect(known.filter((name) => !Object.hasOwn(values, name))).toEqual([])
    },
  )

  test('known: every field of the official clients, also those that are refused [GW-FID-4]', () => {
    const unknown = FIELD_GROUPS.filter(({ types }) => types.length > 0).flatMap(({ api, at, body, values }) =>
      Object.entries(values).flatMap(([name, [value]]) => {
        const decoded = decode(api, JSON.stringify(body({ [name]: value })), 'refuse')
        const isUnknown = !decoded.ok && decoded.message.endsWith(`${name}: ${UNKNOWN_FIELD}`)
        return isUnknown && name !== 'x_unknown' ? `${api} ${at}.${name}` : []
      }),
    )
    expect(unknown).toEqual([])
  })

  test('left out: only for a documented reason [GW-FID-6]', () => {
    const undocumented = wrongOnes(
      ({ group, path, value, outcomes }, index) =>
        outcomes[index]?.kind === 'left out' && leftOutRow(group.api, APIS[index] ?? 'openai-chat', path, value) === undefined,
    )
    expect(undocumented).toEqual([])
  })

  test('left out: each documented reason applies to a row', () => {
    const used = new Set(
      rows.flatMap(({ group, path, value, outcomes }) =>
        APIS.map((to, index) => (outcomes[index]?.kind === 'left out' ? leftOutRow(group.api, to, path, value) : undefined)),
      ),
    )
    expect(LEFT_OUT.filter((row) => !used.has(row)).map(({ path }) => String(path))).toEqual([])
  })

  test('refused: the error names the field of the client [GW-FID-6]', () => {
    expect(
      wrongOnes((row, index) => {
        const outcome = row.outcomes[index]
        return outcome?.kind === 'refused' && !isNamed(row, outcome.param)
      }),
    ).toEqual([])
  })

  test('provider of the same API: gets the value as it was written, unless it is refused or left out [GW-FID-1]', () => {
    expect(
      wrongOnes(({ group, outcomes }, index) => APIS[index] === group.api && outcomes[index]?.kind === 'translated'),
    ).toEqual([])
  })
})
