import { classificationRank } from '../domain/classification.ts'
import type { Viewer } from '../domain/viewer.ts'
import { type Acl, allows } from './acl.ts'
import { type Access, type CollectionLabels, effectiveClassification } from './labels.ts'

export const VISIBILITY_RULES = ['applications', 'classification', 'acl'] as const

/** One of the rules that decide who sees a document, and what it comes to for one viewer. */
export interface Check {
  readonly rule: (typeof VISIBILITY_RULES)[number]
  readonly passed: boolean
  /** For people: a sentence. */
  readonly because: string
}

/** The rules of `isVisible` one by one: it is true when all of them pass. */
export function whyVisible(
  viewer: Viewer,
  collection: Omit<CollectionLabels, 'regulations'>,
  document: Access,
): readonly Check[] {
  return [served(viewer, collection.applications), cleared(viewer, collection, document), ...named(viewer, collection, document)]
}

function served({ applicationId }: Viewer, applications: CollectionLabels['applications']): Check {
  if (applications === null) return check('applications', true, 'The collection serves every Application.')
  const serves = applications.includes(applicationId)
  return check('applications', serves, `The collection ${serves ? 'serves this Application' : 'serves other Applications only'}.`)
}

function cleared({ ceiling }: Viewer, collection: Omit<CollectionLabels, 'regulations'>, document: Access): Check {
  const level = effectiveClassification(collection, document)
  const passed = classificationRank(level) <= classificationRank(ceiling)
  const unlabelled = collection.classification === null && document.classification === null
  const why = unlabelled ? ', since neither it nor its collection has a label' : ''
  return check('classification', passed, `The document is ${level}${why}; here the user may see what is ${ceiling} at most.`)
}

function named({ user }: Viewer, collection: Pick<CollectionLabels, 'acl'>, document: Access): readonly Check[] {
  if (collection.acl === null && document.acl === null) {
    return [check('acl', false, 'Neither the document nor its collection says who may read it, so nobody may.')]
  }
  const said = [
    ['The collection', collection.acl],
    ['The document', document.acl],
    ['What the document says of itself', document.limits.acl],
  ] as const
  return said.flatMap(([who, acl]) => {
    if (acl === null) return []
    const passed = allows(acl, user)
    return [check('acl', passed, `${who} lets in ${inWords(acl)}${passed ? '' : ', and the user is none of them'}.`)]
  })
}

const check = (rule: Check['rule'], passed: boolean, because: string): Check => ({ rule, passed, because })

function inWords(acl: Acl): string {
  if ('everyone' in acl) return 'everyone'
  const lists = [
    ['user', acl.users],
    ['role', acl.roles],
    ['department', acl.departments],
  ] as const
  const named = lists.flatMap(([what, words = []]) =>
    words.length > 0 ? [`the ${what}${words.length > 1 ? 's' : ''} ${words.join(', ')}`] : [],
  )
  return named.length > 0 ? named.join(', ') : 'nobody'
}
