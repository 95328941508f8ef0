import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'

interface Published {
  /** Operator or admin token; `gatehouse` for the configuration file. */
  readonly published_by: string
  readonly published_by_name: string | null
}

/** Name of the operator, admin token or file that published a version. */
export function usePublisherName(): (version: Published) => string {
  const { t } = useTranslation('policies')
  const self = useSession().data?.operator.id
  return ({ published_by: id, published_by_name: name }) => {
    if (id === self) return t('you')
    return id === 'gatehouse' ? t('configurationFile') : (name ?? id)
  }
}
