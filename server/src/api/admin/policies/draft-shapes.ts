import { Type } from 'typebox'
import type { PolicyDraft, PolicyDraftSummary } from '../../../domains/policy/policy-draft-store.ts'
import { Name, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { ActorName, type ActorNames, NO_VERSION, Note, Source } from './policy-shapes.ts'

const BASE = `Id of the version that publishing the draft replaces, or \`${NO_VERSION}\`.`
const BaseVersion = Type.String({ maxLength: 100, description: BASE })
const Revision = Type.Integer({ minimum: 1, description: 'Counted from 1 with each change of the draft.' })

export const DraftCreate = Type.Object(
  {
    title: { ...Name, description: 'The subject of the draft.' },
    note: Type.Optional({ ...Note, description: 'Suggested as the note of the publication.' }),
    source: Source,
    base_version: Type.Optional({ ...BaseVersion, description: `${BASE} Default: the active version.` }),
  },
  { additionalProperties: false },
)

export const DraftPatch = Type.Object(
  {
    revision: {
      ...Revision,
      description: 'The revision that the change is based on. If the draft has another one, the response is 409.',
    },
    title: Type.Optional(Name),
    note: Type.Optional(Note),
    source: Type.Optional(Source),
    base_version: Type.Optional(BaseVersion),
  },
  { additionalProperties: false },
)

export const DraftView = Type.Object({
  id: Type.String(),
  object: Type.Literal('policy_draft'),
  title: Type.String(),
  note: Type.String(),
  base_version: BaseVersion,
  author: Type.String({ description: 'Id of the operator or admin token.' }),
  author_name: ActorName,
  edited_by: Type.String({ description: 'Id of the last editor.' }),
  edited_by_name: ActorName,
  revision: Revision,
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const DraftWithSourceView = Type.Object(
  { ...DraftView.properties, source: Type.String({ description: 'The document. It may have errors.' }) },
  { title: 'PolicyDraftWithSource' },
)

export const draftView = (draft: PolicyDraftSummary, names: ActorNames) =>
  viewOf(DraftView, draft, {
    base_version: draft.baseId ?? NO_VERSION,
    author_name: names.get(draft.author) ?? null,
    edited_by_name: names.get(draft.editedBy) ?? null,
  })

export const draftWithSourceView = (draft: PolicyDraft, names: ActorNames) => ({
  ...draftView(draft, names),
  source: draft.source,
})
