import { type Static, Type } from 'typebox'
import type { GovernedString } from '../../../shared/governed.ts'
import { type Refusal, refuseInvalid } from '../../../shared/refusal.ts'

export const MAX_NAMES = 20
/** Maximum number of texts under one name in a body: as many as a group has members. */
const MAX_VALUES = 1_000
const MAX_NAME_LENGTH = 64

const Values = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: MAX_VALUES })
const ReactionMap = Type.Record(Type.String(), Values, { maxProperties: MAX_NAMES })

export const ReactionsBody = Type.Union([ReactionMap, Type.Array(ReactionMap, { maxItems: MAX_NAMES })])

export interface Reaction {
  readonly name: string
  readonly value: string
}

/** A reaction that policies allow. Ids of members are not governed. */
export interface GovernedReaction extends Reaction {
  readonly name: GovernedString
  readonly value: GovernedString
}

/** The reactions in a body, each once, or a 400 for an invalid name. */
export function parseReactions(body: Static<typeof ReactionsBody>): Reaction[] | Refusal {
  const valuesByName = new Map<string, Set<string>>()
  for (const map of [body].flat()) {
    for (const [name, values] of Object.entries(map)) {
      valuesByName.set(name, new Set([...(valuesByName.get(name) ?? []), ...values]))
    }
  }
  return (
    refuseNames([...valuesByName.keys()]) ??
    [...valuesByName].flatMap(([name, values]) => [...values].map((value) => ({ name, value })))
  )
}

export const refuseNames = (names: readonly string[]): Refusal | undefined =>
  names.every((name) => name.length > 0 && name.length <= MAX_NAME_LENGTH)
    ? undefined
    : refuseInvalid({ param: 'reactions', message: `must have names of 1 to ${MAX_NAME_LENGTH} characters` })

export const tooManyNames = () =>
  refuseInvalid({ param: 'reactions', message: `must not have more than ${MAX_NAMES} names on one message` })
