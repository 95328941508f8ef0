import { type Static, Type } from 'typebox'
import { type Acl, NAME_LISTS } from '../../../domains/knowledge/acl.ts'
import type { ListedChunk } from '../../../domains/knowledge/chunk-store.ts'
import { CollectionFields } from '../../../domains/knowledge/collection-fields.ts'
import { DOCUMENT_STATES } from '../../../domains/knowledge/document.ts'
import type { KnowledgeDocument } from '../../../domains/knowledge/document-store.ts'
import { LabelFields } from '../../../domains/knowledge/label-fields.ts'
import { effectiveLabels, type Labels } from '../../../domains/knowledge/labels.ts'
import { WARNING_KINDS, WARNINGS, type Warning } from '../../../domains/knowledge/parsing/warning.ts'
import { LANGUAGES } from '../../../domains/retrieval/language.ts'
import { Line, Name, oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { FINDING_TYPES } from '../../../shared/finding.ts'
import { nullable } from '../../../shared/schemas.ts'

export const CollectionCreate = Type.Object({ name: Name, ...CollectionFields })

export const CollectionPatch = Type.Object({ name: Type.Optional(Name), ...CollectionFields })
export type CollectionPatch = Static<typeof CollectionPatch>

const nameLists = Object.fromEntries(NAME_LISTS.map((list) => [list, Type.Optional(Type.Array(Type.String()))]))

export const AclView = Type.Unsafe<Acl>(
  Type.Object(
    {
      everyone: Type.Optional(Type.Boolean()),
      ...nameLists,
      deny: Type.Optional(Type.Object(nameLists, { description: 'Users who may not read, also if the other fields name them.' })),
    },
    { title: 'Acl' },
  ),
)

const LabelsView = {
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

const Source = Type.Optional(
  Type.String({ ...Line, minLength: 1, maxLength: 2_000, description: 'The source, shown with passages.' }),
)

const FlagsView = Type.Partial(
  Type.Object(Object.fromEntries(FINDING_TYPES.map((type) => [type, Type.Integer({ minimum: 1 })]))),
  { title: 'InjectionFlags', description: 'Number of suspected prompt injections. null: none found, or cleared by an operator.' },
)

const WarningView = Type.Object(
  {
    kind: oneOf(WARNING_KINDS),
    message: Type.String({ description: 'The content that was left out or guessed, and the remedy.' }),
    place: nullable(Type.String({ description: '`page 3`, `sheet Prices`, `slide 2`. null: the whole file.' })),
    detail: nullable(Type.String({ description: 'Name of the charset, of the attachment or of the part.' })),
    count: Type.Integer({ minimum: 1 }),
  },
  { title: 'DocumentWarning' },
)

const WarningsView = nullable(
  Type.Array(WarningView, {
    description:
      'Content of the file that was not read, was read by a guess, or was left out because it is hidden; at most 200. null: unknown, because an older version read the file and kept no warnings. Upload the file again to see them. Lists of documents have only their number.',
  }),
)

export const warningViews = (warnings: readonly Warning[] | null) =>
  warnings?.map(({ kind, place = null, detail = null, count }) => ({ kind, message: WARNINGS[kind], place, detail, count })) ??
  null

export const FailureView = Type.Object(
  { code: Type.String(), message: Type.String({ description: 'The problem and what to do.' }), at: Timestamp },
  { title: 'DocumentFailure' },
)

export const DocumentView = Type.Object({
  id: Type.String(),
  object: Type.Literal('document'),
  workspace_id: Type.String(),
  collection_id: Type.String(),
  parent_id: nullable(
    Type.String({
      description:
        'The e-mail or PDF that contains the document as an attachment. It has the labels and the source of its parent, and is replaced and deleted with it.',
    }),
  ),
  key: Type.String({ description: 'Path or URL, unique within the collection. Of an attachment: `mail.eml/offer.pdf`.' }),
  title: Type.String(),
  state: {
    ...oneOf(DOCUMENT_STATES, 'DocumentState'),
    description:
      'Of the newest upload: it waits (`queued`), its text is read and is indexed next (`parsed`), searches find it (`indexed`), or it `failed`. Until the first `indexed`, `version` is 0. After it, the last version stays searchable.',
  },
  failure: {
    ...nullable(FailureView),
    description: 'Why the newest upload failed, as `error` of the upload. null: it did not fail.',
  },
  version: Type.Integer({ description: 'Increases with each change of the content. 0: no upload has succeeded yet.' }),
  content_hash: Type.String({ description: 'SHA-256 of the file. Empty if `version` is 0.' }),
  media_type: Type.String(),
  bytes: Type.Integer(),
  source: Type.String(),
  ...LabelsView,
  front_matter: Type.Object(LabelsView, {
    description: "Labels in the document's front matter. They can only restrict access further.",
  }),
  effective: Type.Object(
    {
      classification: oneOf(CLASSIFICATIONS, 'Classification'),
      regulations: Type.Array(Type.String()),
      acls: Type.Array(AclView, { description: 'A user must match all of them. Empty: no user can read the document.' }),
    },
    { description: 'Effective labels: those of collection, document and front matter combined.' },
  ),
  flags: nullable(FlagsView),
  warning_count: nullable(Type.Integer({ description: 'Number of `warnings`. null: unknown.' })),
  warnings: Type.Optional(WarningsView),
  chunks: Type.Integer(),
  language: { ...oneOf(LANGUAGES, 'Language'), description: 'In which it is searched.' },
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** `inList`: only with the number of warnings, because a page of documents may have thousands. */
export const documentView = ({ warnings, ...row }: KnowledgeDocument, collection: Labels, inList: boolean) =>
  viewOf(DocumentView, row, {
    front_matter: row.limits,
    effective: effectiveLabels(collection, row),
    warning_count: warnings?.length ?? null,
    ...(!inList && { warnings: warningViews(warnings) }),
  })

export const ChunkView = Type.Object({
  id: Type.String(),
  object: Type.Literal('chunk'),
  position: Type.Integer(),
  headings: Type.Array(Type.String()),
  content: Type.String(),
  tokens: Type.Integer(),
  flagged: Type.Boolean(),
})

export const chunkView = ({ id, ...chunk }: ListedChunk) => ({ id, object: 'chunk' as const, ...chunk })

/** Body of `PATCH /admin/v1/documents/:id`. Missing fields stay unchanged; null removes a label, so that the collection's applies. */
export const DocumentPatch = Type.Object({ ...LabelFields, source: Source })

const DocumentLanguage = Type.Optional({
  ...oneOf(LANGUAGES, 'Language'),
  description: 'In which the text is searched. Default: the language that the text shows clearly, or that of the collection.',
})

const Item = Type.Object({
  key: Type.String({ minLength: 1, description: 'Path or URL, unique within the collection.' }),
  url: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'URL of the file: https:// or http://, without credentials.' }),
  ),
  content: Type.Optional(Type.String({ description: 'The text, instead of a URL.' })),
  media_type: Type.Optional(Line),
  title: Type.Optional(Name),
  language: DocumentLanguage,
  source: Source,
  ...LabelFields,
})
export type DocumentItem = Static<typeof Item>

/** Body of `POST /admin/v1/collections/:id/documents`: texts and URLs of files. The labels apply to documents without their own. */
export const DocumentList = Type.Object({ documents: Type.Array(Item, { minItems: 1, maxItems: 100 }), ...LabelFields })
export type DocumentList = Static<typeof DocumentList>

export const FILE_QUERY = {
  key: Type.Optional(Type.String({ maxLength: 2_000, description: 'Key of the document. If present, the body is a file.' })),
  title: Type.Optional(Name),
  language: DocumentLanguage,
  source: Source,
  classification: LabelFields.classification,
  regulations: Type.Optional(Type.String({ maxLength: 10_000, description: 'Separated by commas.' })),
  acl: Type.Optional(Type.String({ maxLength: 100_000, description: '`everyone`, or JSON as in the body.' })),
  wait: Type.Optional({
    ...oneOf(['true', 'false']),
    description: '`false`: the answer does not wait until the documents are stored.',
  }),
}

const OUTCOMES = ['added', 'changed', 'relabelled', 'unchanged', 'queued', 'failed'] as const

const ErrorView = Type.Object(
  {
    code: Type.String({
      description:
        'empty, too_large, encrypted, broken, unsupported, timeout: problem of the file. ocr_failed: the text recognition failed. blocked, not_fetched: problem of the URL. detector_failed: the content could not be inspected. interrupted: the server stopped several times while it read the file. replaced: a newer upload of the key came first.',
    }),
    message: Type.String({ description: 'The problem and what to do.' }),
  },
  { title: 'UploadError' },
)

const AttachmentView = Type.Object(
  {
    key: Type.String(),
    document_id: Type.String(),
    outcome: oneOf([...OUTCOMES, 'deleted']),
    error: nullable(ErrorView),
  },
  { title: 'AttachmentOutcome' },
)

const OutcomeView = Type.Object({
  key: Type.String(),
  outcome: oneOf(OUTCOMES),
  document_id: nullable(Type.String()),
  chunks: Type.Integer(),
  flags: nullable(FlagsView),
  warnings: WarningsView,
  attachments: Type.Array(AttachmentView, {
    description: 'Files in a new version of an e-mail or PDF, each of which is a document, and those that it no longer has.',
  }),
  error: nullable(ErrorView),
})

export const IngestView = Type.Object({ object: Type.Literal('ingest'), data: Type.Array(OutcomeView) })
