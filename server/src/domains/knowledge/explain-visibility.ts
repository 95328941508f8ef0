import { classificationRank } from '../../shared/classification.ts'
import type { Viewer } from '../../shared/viewer.ts'
import { type Acl, allows, NAME_LISTS, type Names } from './acl.ts'
import { type Access, type CollectionLabels, effectiveClassification } from './labels.ts'

export const VISIBILITY_RULES = ['applications', 'classification', 'acl', 'policy'] as const

/** A visibility rule and its result for one viewer. */
export interface Check {
  readonly rule: (typeof VISIBILITY_RULES)[number]
  readonly passed: boolean
  /** A sentence that explains the result. */
  readonly because: string
}

/** The check of the collections that the Application's settings choose. */
export const choiceCheck = (isChosen: boolean): Check =>
  check(
    'applications',
    isChosen,
    isChosen ? 'The Application searches the collection.' : 'The settings of the Application choose other collections.',
  )

/** The check of the policies on a passage: `rules` have denied it. */
export const policyCheck = (rules: readonly string[]): Check =>
  rules.length === 0
    ? check('policy', true, 'The policies allow the passage.')
    : check('policy', false, `The ${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')} of the policies left it out.`)

/** The check of a document whose source has got another access list that does not permit the user, before the document has it. */
export const changedListCheck = (): Check =>
  check('acl', false, "The readers of the document's source have changed, and the user is not among them.")

/** Evaluates each rule of `isVisible`, which is true if all of them pass. */
export function explainVisibility(
  viewer: Viewer,
  collection: Omit<CollectionLabels, 'regulations'>,
  document: Access,
): readonly Check[] {
  return [
    checkApplication(viewer, collection.applications),
    checkClearance(viewer, collection, document),
    ...checkAcls(viewer, collection, document),
  ]
}

function checkApplication({ applicationId }: Viewer, applications: CollectionLabels['applications']): Check {
  if (applications === null) return check('applications', true, 'The collection serves every Application.')
  const serves = applications.includes(applicationId)
  return check('applications', serves, `The collection ${serves ? 'serves this Application' : 'serves other Applications only'}.`)
}

function checkClearance({ ceiling }: Viewer, collection: Omit<CollectionLabels, 'regulations'>, document: Access): Check {
  const level = effectiveClassification(collection, document)
  const passed = classificationRank(level) <= classificationRank(ceiling)
  const unlabelled = collection.classification === null && document.classification === null
  const reason = unlabelled ? ', because neither the document nor its collection has a classification' : ''
  return check('classification', passed, `The document is ${level}${reason}. The user may see documents up to ${ceiling}.`)
}

function checkAcls(viewer: Viewer, collection: Pick<CollectionLabels, 'acl'>, document: Access): readonly Check[] {
  if (collection.acl === null && document.acl === null) {
    return [check('acl', false, 'Neither the document nor its collection has readers, so no user may read the document.')]
  }
  const acls = [
    ["The collection's readers", collection.acl],
    ["The document's readers", document.acl],
    ["The readers in the document's front matter", document.limits.acl],
  ] as const
  return acls.flatMap(([subject, acl]) => {
    if (acl === null) return []
    const passed = allows(acl, viewer)
    return [check('acl', passed, `${subject} are ${describeAcl(acl)}${passed ? '' : ', and the user is not among them'}.`)]
  })
}

const check = (rule: Check['rule'], passed: boolean, because: string): Check => ({ rule, passed, because })

function describeAcl(acl: Acl): string {
  const permitted = 'everyone' in acl ? 'all users' : describeNames(acl) || 'no user'
  return acl.deny ? `${permitted}, without ${describeNames(acl.deny)}` : permitted
}

const describeNames = (names: Names): string =>
  NAME_LISTS.flatMap((list) => {
    const { [list]: all = [] } = names
    return all.length > 0 ? [`the ${all.length > 1 ? list : list.slice(0, -1)} ${all.join(', ')}`] : []
  }).join(', ')
