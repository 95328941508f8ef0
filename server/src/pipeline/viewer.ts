import { CLASSIFICATIONS, type Classification, classificationRank } from '../domain/classification.ts'
import type { Application, User } from '../domain/principal.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { Caller, Identity } from './facts.ts'

/** Whose eyes knowledge and memory are seen through: the Application's and the user's, whichever may see less. */
export function viewerOf({ application }: Caller, { user, sessionId }: Identity): Viewer {
  const clearance = clearanceOf(user, application)
  const ceiling = classificationRank(clearance) < classificationRank(application.ceiling) ? clearance : application.ceiling
  return { workspaceId: application.workspaceId, applicationId: application.id, user, sessionId, ceiling }
}

/**
 * Decisions.md §2.7: a verified user's attribute `clearance`, else what the Application grants the role; whoever is only asserted
 * has the Application's `assertion_clearance`, whatever the assertion says.
 */
function clearanceOf({ verified, role, attributes }: User, { settings }: Application): Classification {
  if (!verified) return settings.assertion_clearance
  const own = CLASSIFICATIONS.find((word) => word === attributes.clearance)
  const byRole = Object.hasOwn(settings.role_clearance, role) ? settings.role_clearance[role] : undefined
  return own ?? byRole ?? settings.assertion_clearance
}
