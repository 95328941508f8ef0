import { describe, expect, test } from 'vitest'
import { reasonFor } from './left-out.ts'
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

/** A refusal may name the object around a field, a field of its value, or the type that makes it wrong. */
function isNamed({ group, path }: FieldRow, param: string): boolean {
  const named = withoutIndices(param)
  return named.startsWith(path) || (group.at !== '' && named.startsWith(group.at))
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

  test('left out: only for a documented reason [GW-FID-6]', () => {
    const undocumented = wrongOnes(
      ({ group, path, value, outcomes }, index) =>
        outcomes[index]?.kind === 'left out' && reasonFor(group.api, APIS[index] ?? 'openai-chat', path, value) === undefined,
    )
    expect(undocumented).toEqual([])
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
