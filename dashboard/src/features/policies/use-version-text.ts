import { useRead } from '../../api/queries.ts'
import { NO_VERSION } from './use-base-version.ts'

/** The text of a version; empty for no version, undefined while it loads. */
export function useVersionText(id: string | undefined): string | undefined {
  const exists = id !== undefined && id !== NO_VERSION
  const { data } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id: id ?? '' } } }, { enabled: exists })
  return exists ? data?.source : ''
}
