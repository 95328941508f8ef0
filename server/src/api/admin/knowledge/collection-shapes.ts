import { type Static, Type } from 'typebox'
import type { Acl } from '../../../domains/knowledge/acl.ts'
import { CollectionFields } from '../../../domains/knowledge/collection-fields.ts'
import { LANGUAGES } from '../../../domains/retrieval/language.ts'
import { Name, oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { nullable } from '../../../shared/schemas.ts'

export const CollectionCreate = Type.Object({ name: Name, ...CollectionFields })

export const CollectionPatch = Type.Object({ name: Type.Optional(Name), ...CollectionFields })
export type CollectionPatch = Static<typeof CollectionPatch>

export const AclView = Type.Unsafe<Acl>(
  Type.Object(
    {
      everyone: Type.Optional(Type.Boolean()),
      users: Type.Optional(Type.Array(Type.String())),
      roles: Type.Optional(Type.Array(Type.String())),
      departments: Type.Optional(Type.Array(Type.String())),
    },
    { title: 'Acl' },
  ),
)

export const LabelsView = {
  classification: nullable(oneOf(CLASSIFICATIONS, 'Classification')),
  regulations: Type.Array(Type.String()),
  acl: nullable(AclView),
}

export const CollectionView = Type.Object({
  id: Type.String(),
  object: Type.Literal('collection'),
  workspace_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  ...LabelsView,
  language: oneOf(LANGUAGES, 'Language'),
  applications: nullable(Type.Array(Type.String(), { description: 'Ids.' })),
  created_at: Timestamp,
  updated_at: Timestamp,
})
