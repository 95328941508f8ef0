import { Type } from 'typebox'
import type { ListSort } from '../../platform/db/page.ts'
import { oneOf } from '../../platform/lib/fields.ts'

const sortsOf = <N extends string>(names: readonly N[]) => names.flatMap((name) => [name, `-${name}`] as const)

/** Query of a list that can be sorted: `sort=name`, or descending `sort=-name`. */
export const sortQuery = <N extends string>(names: readonly N[], description: string) => ({
  sort: Type.Optional({ ...oneOf(sortsOf(names)), description }),
})

/** The sort of a query; undefined: the list's own order. */
export function sortOf<N extends string>(names: readonly N[], { sort }: { readonly sort?: string }): ListSort<N> | undefined {
  const by = names.find((name) => name === sort?.replace('-', ''))
  return by && { by, direction: sort?.startsWith('-') ? 'desc' : 'asc' }
}
