import { NumberInput, Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const CAPTURE = ['off', 'explicit', 'extract'] as const

/** Knowledge and memory of an Application. */
export function FeatureFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { t } = useTranslation('applications')
  const { knowledge, memory } = form.getValues().settings
  return (
    <>
      <Section title={t('settings.knowledge.title')}>
        <Switch
          label={t('settings.knowledge.enable')}
          description={t('settings.knowledge.enableHint')}
          {...form.getInputProps('settings.knowledge.enabled', { type: 'checkbox' })}
        />
        {knowledge.enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Collections form={form} />
            <NumberInput
              label={t('settings.knowledge.passages')}
              placeholder={t('settings.default')}
              min={0}
              max={50}
              {...form.getInputProps('settings.knowledge.passages')}
            />
          </SimpleGrid>
        )}
      </Section>
      <Section title={t('settings.memory.title')}>
        <Switch
          label={t('settings.memory.enable')}
          description={t('settings.memory.enableHint')}
          {...form.getInputProps('settings.memory.enabled', { type: 'checkbox' })}
          onChange={({ currentTarget }) => enableMemory(form, currentTarget.checked)}
        />
        {memory.enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              label={t('settings.memory.capture')}
              description={t(`settings.memory.modeHints.${memory.capture}`)}
              data={CAPTURE.map((value) => ({ value, label: t(`settings.memory.modes.${value}`) }))}
              allowDeselect={false}
              {...form.getInputProps('settings.memory.capture')}
            />
            <NumberInput
              label={t('settings.memory.recall')}
              placeholder={t('settings.default')}
              min={0}
              max={50}
              {...form.getInputProps('settings.memory.recall')}
            />
          </SimpleGrid>
        )}
      </Section>
    </>
  )
}

/** Memory without capture would store nothing, so the form selects explicit requests. */
function enableMemory(form: UseFormReturnType<Values>, enabled: boolean): void {
  const { capture } = form.getInitialValues().settings.memory
  form.setFieldValue('settings.memory.enabled', enabled)
  form.setFieldValue('settings.memory.capture', enabled && capture === 'off' ? 'explicit' : capture)
}

function Collections({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { t } = useTranslation('applications')
  const enabled = useScopes().hasScope('knowledge:read')
  const { items = [] } = useAll('/admin/v1/collections', {}, { enabled })
  return (
    <TagsInput
      label={t('settings.knowledge.collections')}
      description={t('settings.knowledge.collectionsHint')}
      data={items.map(({ name }) => name)}
      {...form.getInputProps('settings.knowledge.collections')}
    />
  )
}
