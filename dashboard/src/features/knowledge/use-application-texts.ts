import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'

/** More Applications are counted. */
const MOST_NAMED = 3

/** The Applications of a collection by name, for example "support". null: all. */
export function useApplicationTexts(): (ids: readonly string[] | null) => string {
  const { t } = useTranslation('knowledge')
  const { nameOf } = useApplicationNames()
  return (ids) => {
    if (ids === null) return t('access.allApplications')
    const isNamed = ids.length > 0 && ids.length <= MOST_NAMED
    return isNamed ? ids.map(nameOf).join(', ') : t('access.applications', { count: ids.length })
  }
}
