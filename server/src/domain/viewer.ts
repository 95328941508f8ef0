import { CLASSIFICATIONS, type Classification } from './classification.ts'
import type { SharedScope } from './memory-words.ts'
import type { User } from './principal.ts'

/** Who looks, as far as knowledge and memory need to know. Ids are TypeIDs. */
export interface Viewer {
  readonly workspaceId: string
  readonly applicationId: string
  readonly user: User
  /** Empty when the request names none. */
  readonly sessionId: string
  /** The most sensitive that may be shown: the smaller of the Application's ceiling and the user's clearance (decisions.md §2.7). */
  readonly ceiling: Classification
  /** Shared scopes that the Application lets users write whom it merely asserts; absent: none. */
  readonly assertionScopes?: readonly SharedScope[]
}

/** Each is looked up by a hash of its own: tens of thousands would keep everybody else waiting. */
export const MAX_PROJECTS = 1_000

export const hasTooManyProjects = ({ projects }: User['attributes']): boolean =>
  Array.isArray(projects) && projects.length > MAX_PROJECTS

/** The user's `attributes.projects`: strings only, whatever else was sent. */
export function projectsOf({ attributes }: User): readonly string[] {
  const { projects } = attributes
  return Array.isArray(projects)
    ? projects.filter((project): project is string => typeof project === 'string' && project !== '')
    : []
}

/** The classifications up to and including `ceiling`, least sensitive first. */
export const upTo = (ceiling: Classification): readonly Classification[] =>
  CLASSIFICATIONS.slice(0, CLASSIFICATIONS.indexOf(ceiling) + 1)
