import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'

/** The first model of an Application without a default model, whose requests have to name one. Undefined: it has a default, or no model. */
export function useFirstModel(applicationId: string | undefined): string | undefined {
  const { items: applications = [] } = useAll('/admin/v1/applications')
  const application = applications.find(({ id }) => id === applicationId)
  const needsModel = application?.default_model === null
  const enabled = useScopes().hasScope('providers:read') && needsModel
  const { items: models = [] } = useAll('/admin/v1/models', {}, { enabled })
  return needsModel ? (application.models?.find((name) => !name.includes('*')) ?? models[0]?.id) : undefined
}
