import { type Static, Type } from 'typebox'
import { LabelFields } from '../../../domains/knowledge/label-fields.ts'
import { type KnowledgeSource, SOURCE_KINDS, SYNC_COUNTS } from '../../../domains/knowledge/source.ts'
import { Line, oneOf, resettable, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'
import { AclView, FailureView } from './knowledge-shapes.ts'

const Text = (description: string) => Type.String({ ...Line, maxLength: 2_000, description })

const Url = Type.String({
  ...Line,
  ...{
    minLength: 1,
    maxLength: 2_000,
    description: 'Git: the URL to clone, https:// or http://. S3: URL of the bucket, `https://s3.example.com/bucket`.',
  },
})

const Settings = {
  url: Type.Optional(Url),
  folder: Type.Optional(Text('Only files below this folder. Default: all. S3: the start of the keys.')),
  branch: resettable(Text('Git: default: the default branch.')),
  region: resettable(Text('S3: default: `us-east-1`.')),
  username: resettable(Text('S3: the access key id. Git: sent with the secret; default: `x-access-token`.')),
  secret: resettable(
    Type.String({
      ...{ minLength: 1, maxLength: 10_000, pattern: '^[\\x20-\\x7e]+$' },
      description:
        'Git: an access token that may read. S3: the secret access key. null: the source is public. Sealed, and never returned. Only for https://, or for http:// on this machine.',
    }),
  ),
  acl: LabelFields.acl,
  link: resettable(Text("Start of the documents' `source`, before the path below the folder. Default: the URL and the folder.")),
  interval_minutes: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 10_080, default: 60, description: 'Time between two runs.' }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
}

export const SourceCreate = Type.Object({
  collection_id: Type.String({ maxLength: 200 }),
  name: Type.String({
    ...{ minLength: 1, maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}/.\\s][^\\p{Cc}\\p{Cs}/]*$' },
    description: 'Unique in the collection, without slashes. The keys of the documents begin with it: `handbook/prices.pdf`.',
  }),
  kind: oneOf(SOURCE_KINDS, 'KnowledgeSourceKind'),
  ...Settings,
  url: Url,
})
export type SourceCreate = Static<typeof SourceCreate>

export const SourcePatch = Type.Object(Settings)
export type SourcePatch = Static<typeof SourcePatch>

export const SyncRequest = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: '`true`: deletes documents also if more than 20 % of the files are missing, or all.' }),
  ),
})

const SyncView = Type.Object(
  { at: Timestamp, ...Object.fromEntries(SYNC_COUNTS.map((name) => [name, Type.Integer()])) },
  { title: 'KnowledgeSync', description: 'Numbers of files in the last run, also in one that failed before its end.' },
)

export const SourceView = Type.Object({
  id: Type.String(),
  object: Type.Literal('knowledge_source'),
  workspace_id: Type.String(),
  collection_id: Type.String(),
  name: Type.String(),
  kind: oneOf(SOURCE_KINDS, 'KnowledgeSourceKind'),
  url: Type.String(),
  folder: Type.String(),
  branch: nullable(Type.String()),
  region: nullable(Type.String()),
  username: nullable(Type.String()),
  has_secret: Type.Boolean(),
  link: nullable(Type.String()),
  acl: {
    ...nullable(AclView),
    description: 'All documents of the source have this list. null: they have no list from it.',
  },
  relabelling: Type.Boolean({
    description: 'Whether documents still get a changed list. Searches apply it to them already.',
  }),
  interval_minutes: Type.Integer(),
  enabled: Type.Boolean(),
  next_sync_at: Timestamp,
  syncing_since: nullable(Timestamp),
  last_sync: nullable(SyncView),
  failure: nullable(FailureView),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const sourceView = (source: KnowledgeSource) => viewOf(SourceView, source)
