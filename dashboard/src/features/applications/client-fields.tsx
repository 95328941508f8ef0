import { Alert, MultiSelect, NumberInput, Select, SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/section.tsx'
import type { Application } from './applications-page.tsx'
import type { Values } from './settings-values.ts'

const UNKNOWN_FIELDS = ['name', 'carry', 'refuse'] as const
const RELEASE = ['validated', 'windowed'] as const
const STORE = ['off', 'requested', 'default'] as const

const EXTENSIONS: readonly string[] = ['tools', 'content_parts', 'developer_role']

interface ClientFieldsProps {
  readonly form: UseFormReturnType<Values>
  readonly application: Application
}

/** Settings of the client APIs: extensions, streams and stored responses. */
export function ClientFields({ form, application }: ClientFieldsProps) {
  const { t } = useTranslation('applications')
  const { extensions, release } = form.getValues().settings
  const obstacle = application.needs_whole_response
  return (
    <>
      <Section title={t('settings.clients.title')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <MultiSelect
            label={t('settings.clients.extensions')}
            description={t('settings.clients.extensionsHint')}
            data={[...new Set([...EXTENSIONS, ...extensions])]}
            {...form.getInputProps('settings.extensions')}
          />
          <Select
            label={t('settings.clients.unknownFields')}
            description={t('settings.clients.unknownFieldsHint')}
            data={UNKNOWN_FIELDS.map((value) => ({ value, label: t(`settings.clients.unknown.${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps('settings.unknown_fields')}
          />
        </SimpleGrid>
      </Section>
      <Section title={t('settings.streaming.title')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t('settings.streaming.release')}
            description={t('settings.streaming.releaseHint')}
            data={RELEASE.map((value) => ({ value, label: t(`settings.streaming.modes.${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps('settings.release')}
          />
          {release === 'windowed' && (
            <NumberInput
              label={t('settings.streaming.window')}
              description={t('settings.streaming.windowHint')}
              placeholder={t('settings.streaming.needed')}
              min={577}
              max={65_536}
              {...form.getInputProps('settings.release_window')}
            />
          )}
        </SimpleGrid>
        {release === 'windowed' && obstacle && (
          <Alert color="yellow" variant="outline" mt="sm" role="status">
            {t('settings.streaming.noEffect', obstacle)}
          </Alert>
        )}
      </Section>
      <Section title={t('settings.responses.title')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t('settings.responses.store')}
            description={t('settings.responses.storeHint')}
            data={STORE.map((value) => ({ value, label: t(`settings.responses.modes.${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps('settings.responses.store')}
          />
          <NumberInput
            label={t('settings.responses.retention')}
            description={t('settings.responses.retentionHint')}
            placeholder={t('settings.default')}
            min={1}
            max={3_650}
            {...form.getInputProps('settings.responses.retention_days')}
          />
          <NumberInput
            label={t('settings.responses.quota')}
            description={t('settings.responses.quotaHint')}
            placeholder={t('settings.default')}
            min={1}
            max={1_000_000}
            {...form.getInputProps('settings.responses.max_megabytes')}
          />
        </SimpleGrid>
      </Section>
    </>
  )
}
