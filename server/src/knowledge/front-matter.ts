import { Type } from 'typebox'
import { checker } from '../lib/schema.ts'
import { LabelFields, labelsOf } from './label-fields.ts'
import { type Labels, UNLABELLED } from './labels.ts'
import { DocumentError, type FrontMatter } from './parsing/document.ts'

const check = checker(Type.Object(LabelFields))

/** The labels that a document gives itself. What cannot be understood is an error, since it was meant to protect the document. */
export function labelsInside({ classification, regulations, acl }: FrontMatter = {}): Labels {
  const written = { classification, regulations: typeof regulations === 'string' ? [regulations] : regulations, acl }
  const said = check(Object.fromEntries(Object.entries(written).filter(([, value]) => value != null)))
  const labels = said.ok ? labelsOf(said.value) : said
  if (!labels.ok) throw new DocumentError('broken', `Front matter: ${labels.problem.param} ${labels.problem.message}.`)
  return { ...UNLABELLED, ...labels.value }
}
