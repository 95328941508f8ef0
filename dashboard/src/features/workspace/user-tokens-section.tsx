import { Button, Group, SegmentedControl, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { changedFields } from '../../ui/changed-fields.ts'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { useSave } from './current-workspace.ts'
import type { SettingsSectionProps } from './general-section.tsx'
import { KeySetField } from './key-set-field.tsx'
import { showSettingsError } from './settings-errors.ts'
import { bodyOf, CLAIMS, type Values, validateJwks, valuesOf } from './user-token-values.ts'

const SOURCES = ['none', 'url', 'keys'] as const

/** Objects that the API merges field by field. */
const MERGED = ['settings', 'settings.claims']

/** Keys, issuer, audiences and claims of user tokens. */
export function UserTokensSection({ workspace, readOnly }: SettingsSectionProps) {
  const { t } = useTranslation('workspace')
  const form = useForm<Values>({ initialValues: valuesOf(workspace), validate: { jwks: validateJwks } })
  const { save, saving } = useSave(workspace)
  useFormSync(form, valuesOf(workspace))
  const submit = (values: Values) =>
    save(changedFields(bodyOf(values), bodyOf(form.getInitialValues()), MERGED), {
      onSuccess: () => form.resetDirty(values),
      onError: showSettingsError(form),
    })
  return (
    <Section title={t('tokens.title')}>
      <Text size="sm" c="dimmed">
        {t('tokens.hint')}
      </Text>
      <Form onSubmit={form.onSubmit(submit)} pending={saving}>
        <Stack>
          <KeyFields form={form} readOnly={readOnly} />
          {form.getValues().source !== 'none' && <ClaimFields form={form} readOnly={readOnly} />}
          {!readOnly && (
            <Group justify="flex-end">
              <Button type="submit" variant="default" disabled={!form.isDirty()} loading={saving}>
                {t('tokens.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </Form>
    </Section>
  )
}

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
  readonly readOnly: boolean
}

function KeyFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation('workspace')
  const { source } = form.getValues()
  return (
    <>
      <SegmentedControl
        aria-label={t('tokens.source')}
        transitionDuration={0}
        maw={420}
        readOnly={readOnly}
        data={SOURCES.map((value) => ({ value, label: t(`tokens.sources.${value}`) }))}
        {...form.getInputProps('source')}
      />
      {source === 'url' && (
        <TextInput label={t('tokens.url')} type="url" required readOnly={readOnly} {...form.getInputProps('jwks')} />
      )}
      {source === 'keys' && <KeySetField form={form} readOnly={readOnly} />}
    </>
  )
}

function ClaimFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation('workspace')
  const { audience } = form.getValues()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput label={t('tokens.issuer')} placeholder={t('tokens.any')} readOnly={readOnly} {...form.getInputProps('issuer')} />
      <TagsInput
        label={t('tokens.audiences')}
        placeholder={audience.length > 0 ? '' : t('tokens.any')}
        acceptValueOnBlur
        readOnly={readOnly}
        {...form.getInputProps('audience')}
      />
      {CLAIMS.map((claim) => (
        <TextInput
          key={claim}
          label={t(`tokens.claims.${claim}`)}
          readOnly={readOnly}
          {...form.getInputProps(`claims.${claim}`)}
        />
      ))}
    </SimpleGrid>
  )
}
