import { Type } from 'typebox'
import type { SavedView } from '../../../domains/views/view-store.ts'
import { Line, Name, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'

export const VIEW_LIMITS = { own: 100, shared: 200, queryLength: 4_000 } as const

export const PageName = Type.String({
  pattern: '^[a-z][a-z_]{0,39}$',
  description:
    'The list that the view belongs to. Those of the dashboard: `audit`, `usage`, `reviews`, `users`, `memory`, `documents`.',
})

const Query = Type.Record(Type.String({ pattern: '^[A-Za-z_]{1,40}$' }), Line, {
  maxProperties: 40,
  description: 'Filters, sort and period: the query of the page in the dashboard.',
})
const Columns = Type.Array(Type.String({ pattern: '^[a-z_]{1,40}$' }), { maxItems: 60 })

const fields = {
  name: { ...Name, maxLength: 80 },
  query: Query,
  columns: { ...nullable(Columns), description: "Ids of the shown columns. null: the list's own choice." },
  shared: Type.Boolean({ description: 'Whether all operators of the Workspace see the view.' }),
}

export const ViewCreate = Type.Object(
  {
    page: PageName,
    name: fields.name,
    query: fields.query,
    columns: Type.Optional(fields.columns),
    shared: Type.Optional({ ...fields.shared, default: false }),
  },
  { additionalProperties: false },
)

export const ViewPatch = Type.Partial(Type.Object(fields), { additionalProperties: false })

export const ViewView = Type.Object({
  object: Type.Literal('view'),
  id: Type.String({ description: '`viw_…`' }),
  page: Type.String(),
  name: Type.String(),
  query: Type.Record(Type.String(), Type.String()),
  columns: nullable(Type.Array(Type.String())),
  shared: Type.Boolean(),
  owner: Type.Object({ id: Type.String(), name: nullable(Type.String({ description: 'null: the operator was removed.' })) }),
  can_edit: Type.Boolean({ description: 'Whether you can change and delete the view.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const viewView = (view: SavedView, ownerName: string | undefined, canEdit: boolean) =>
  viewOf(ViewView, view, { owner: { id: view.owner, name: ownerName ?? null }, can_edit: canEdit })
