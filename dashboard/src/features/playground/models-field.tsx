import { TagsInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { MAX_MODELS, type PlaygroundFilters } from './playground-filters.ts'

interface ModelsFieldProps {
  readonly filters: PlaygroundFilters
  readonly onChange: (changes: Partial<PlaygroundFilters>) => void
}

/** Models by name. Several get each message side by side. */
export function ModelsField({ filters: { model = '' }, onChange }: ModelsFieldProps) {
  const { t } = useTranslation('playground')
  const enabled = useScopes().hasScope('providers:read')
  const { items: models = [] } = useAll('/admin/v1/models', {}, { enabled })
  const chosen = model.split(',').filter((name) => name !== '')
  return (
    <TagsInput
      label={t('models.label')}
      description={t('models.hint', { count: MAX_MODELS })}
      placeholder={chosen.length === 0 ? t('models.default') : ''}
      data={[...new Set(models.map(({ id }) => id))]}
      maxTags={MAX_MODELS}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': t('models.clear') }}
      value={chosen}
      onChange={(names) => onChange({ model: names.join(',') || undefined })}
    />
  )
}
