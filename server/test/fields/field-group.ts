import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import type { Api } from '../fuzz/codecs/request-bodies.ts'
import type { SdkType } from './sdk-types.ts'

/** The fields of one object in the requests of a client API, with values of each form that they have. */
export interface FieldGroup {
  readonly api: Api
  /** The place of the object: `messages[].content[]`; empty: the request itself. */
  readonly at: string
  /** The word for the object, if the place alone does not say which one it is. */
  readonly kind?: string
  /** Its types in the official client. Each of their fields has values here. */
  readonly types: readonly SdkType[]
  /** The body of a request in which the object has these fields beside the required ones. */
  readonly body: (fields: Fields) => Fields
  readonly values: Readonly<Record<string, readonly unknown[]>>
}

/** The group of an object, by its place, its kind (empty: the place says it) and its types. */
export const group = (
  at: string,
  kind: string,
  types: readonly SdkType[],
  { body, values }: Pick<FieldGroup, 'body' | 'values'>,
): Omit<FieldGroup, 'api'> => ({ at, ...(kind !== '' && { kind }), types, body, values })

/** The groups of one client API. */
export const groupsOf = (api: Api, groups: readonly Omit<FieldGroup, 'api'>[]): readonly FieldGroup[] =>
  groups.map((group) => ({ api, ...group }))

export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
/** Another one, for a field that must have a schema. */
export const OTHER_SCHEMA = { ...SCHEMA, required: [] }
/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PICTURE = { data: PNG, url: `data:image/png;base64,${PNG}`, otherUrl: 'https://pictures.example/fox.png' }
const PDF = Buffer.from('%PDF-1.4 one page').toString('base64')
const OTHER_PDF = Buffer.from('%PDF-1.4 two pages').toString('base64')
export const FILE = {
  data: PDF,
  url: `data:application/pdf;base64,${PDF}`,
  otherUrl: `data:application/pdf;base64,${OTHER_PDF}`,
  otherData: OTHER_PDF,
}
export const SIGNATURE = Buffer.from('a signature that only its provider can read').toString('base64')
export const OTHER_SIGNATURE = Buffer.from('another signature that its provider can read').toString('base64')
export const EPHEMERAL = { type: 'ephemeral' }
