import { useTranslation } from 'react-i18next'
import { Link } from '../../ui/link.tsx'

/** Link to the audit record of a request. */
export function RecordLink({ id }: { readonly id: string }) {
  const { t } = useTranslation('reviews')
  return <Link to={`/audit/${id}`}>{t('outcome.viewRecord')}</Link>
}
