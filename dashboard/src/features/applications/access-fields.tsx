import { Alert, Autocomplete, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { classificationChoices } from '../../ui/classification.tsx'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

/** Models, providers, classifications and CORS origins of an Application. */
export function AccessFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { t } = useTranslation('applications')
  const enabled = useScopes().hasScope('providers:read')
  const { items: listed } = useAll('/admin/v1/models', {}, { enabled })
  const items = listed ?? []
  const models = [...new Set(items.map(({ id }) => id))]
  const providers = [...new Set(items.map(({ provider_id }) => provider_id))]
  const model = form.getValues().default_model.trim()
  const lacksModel =
    listed !== undefined && model !== '' && !items.some(({ id, provider_id }) => id === model || `${provider_id}/${id}` === model)
  return (
    <Section title={t('settings.access.title')}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={t('settings.access.name')} required {...form.getInputProps('name')} />
        <Autocomplete
          label={t('settings.access.defaultModel')}
          description={t('settings.access.defaultModelHint')}
          data={models}
          {...form.getInputProps('default_model')}
        />
        <TagsInput
          label={t('settings.access.models')}
          description={t('settings.access.modelsHint')}
          data={models}
          {...form.getInputProps('models')}
        />
        <TagsInput
          label={t('settings.access.providers')}
          description={t('settings.access.providersHint')}
          data={providers}
          {...form.getInputProps('providers')}
        />
        <Level form={form} path="ceiling" label={t('settings.access.ceiling')} description={t('settings.access.ceilingHint')} />
        <Level
          form={form}
          path="settings.default_classification"
          label={t('settings.access.defaultClassification')}
          description={t('settings.access.defaultClassificationHint')}
        />
        <Level
          form={form}
          path="settings.assertion_clearance"
          label={t('settings.access.clearance')}
          description={t('settings.access.clearanceHint')}
        />
        <TagsInput
          label={t('settings.access.origins')}
          description={t('settings.access.originsHint')}
          maxTags={50}
          {...form.getInputProps('settings.cors.origins')}
        />
      </SimpleGrid>
      {lacksModel && (
        <Alert color="yellow" variant="outline" mt="sm" role="status">
          {t('settings.access.noProvider', { model })}
        </Alert>
      )}
    </Section>
  )
}

interface LevelProps {
  readonly form: UseFormReturnType<Values>
  readonly path: string
  readonly label: string
  readonly description: string
}

const Level = ({ form, path, label, description }: LevelProps) => (
  <Select
    label={label}
    description={description}
    data={classificationChoices()}
    allowDeselect={false}
    {...form.getInputProps(path)}
  />
)
