import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { Provider } from './provider.ts'

/** The name of a provider's service. Servers with the OpenAI chat API that are not known are named by their host. */
export function useServiceName(): (provider: Provider) => string {
  const { t } = useTranslation('providers')
  const presets = useRead('/admin/v1/provider-presets').data?.data ?? []
  return ({ kind, preset, base_url }) => {
    if (kind !== 'openai') return t(`kinds.${kind}.title`)
    const known = presets.find(({ id }) => id === preset)
    if (known) return known.title
    return (base_url && URL.parse(base_url)?.host) || t('kinds.openai.title')
  }
}
