import { Button, Fieldset, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useScopes } from '../../api/session.ts'
import { Form } from '../../ui/form.tsx'
import { MoreFields } from '../../ui/more-fields.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { HeadersField } from './headers-field.tsx'
import type { Provider } from './provider.ts'
import { ProviderGallery } from './provider-gallery.tsx'
import type { Values } from './provider-values.ts'
import { AdvancedFields, RoutingFields } from './routing-fields.tsx'

interface ProviderFormProps {
  readonly form: UseFormReturnType<Values>
  /** Undefined: a new one. */
  readonly provider?: Provider
  readonly readOnly?: boolean
  readonly pending: boolean
  readonly onSubmit: (values: Values) => void
}

export function ProviderForm({ form, provider, readOnly = false, pending, onSubmit }: ProviderFormProps) {
  const { t } = useTranslation('providers')
  const isNew = provider === undefined
  return (
    <Form onSubmit={form.onSubmit(onSubmit)} pending={pending}>
      <Fieldset variant="unstyled" mx={0} disabled={readOnly} aria-label={t('form.label')}>
        <Stack>
          {isNew && <ProviderGallery form={form} />}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {isNew && (
              <TextInput
                label={t('form.id')}
                description={t('form.idHint')}
                required
                data-autofocus
                {...form.getInputProps('id')}
              />
            )}
            <ConnectionFields form={form} provider={provider} />
            <RoutingFields form={form} />
          </SimpleGrid>
          {form.getValues().kind !== 'stub' && <PrivateAddresses form={form} />}
          <Switch
            label={t('form.enabled')}
            description={t('form.enabledHint')}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
          <MoreFields label={t('form.advanced')} initiallyOpen={!isNew} hasError={hasAdvancedError(form)}>
            <AdvancedSettings form={form} readOnly={readOnly} />
          </MoreFields>
          {!readOnly && (
            <Group justify="flex-end">
              <Button type="submit" loading={pending} disabled={!(isNew || form.isDirty())}>
                {isNew ? t('add.submit') : t('form.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </Form>
  )
}

interface FormPart extends Pick<ProviderFormProps, 'form'> {
  readonly readOnly: boolean
}

function AdvancedSettings({ form, readOnly }: FormPart) {
  const { t } = useTranslation('providers')
  const isStub = form.getValues().kind === 'stub'
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <AdvancedFields form={form} />
      </SimpleGrid>
      {!isStub && <HeadersField form={form} readOnly={readOnly} />}
      {!isStub && (
        <Switch
          label={t('form.stream')}
          description={t('form.streamHint')}
          {...form.getInputProps('stream', { type: 'checkbox' })}
        />
      )}
    </Stack>
  )
}

function PrivateAddresses({ form }: Pick<ProviderFormProps, 'form'>) {
  const { t } = useTranslation('providers')
  // Only owners of all Workspaces have this scope there.
  const mayChange = useScopes().hasScopeInAll('operators:write')
  return (
    <Switch
      label={t('form.privateAddresses')}
      description={t(mayChange ? 'form.privateAddressesHint' : 'form.privateAddressesOfOwners')}
      disabled={!mayChange}
      {...form.getInputProps('allow_private_addresses', { type: 'checkbox' })}
    />
  )
}

/** Fields outside of the advanced settings. */
const BASIC_FIELDS: readonly string[] = [
  ...['id', 'preset', 'base_url', 'allow_private_addresses', 'api_key', 'region', 'max_classification', 'weight', 'enabled'],
]

const hasAdvancedError = ({ errors }: FormPart['form']): boolean =>
  Object.keys(errors).some((name) => !BASIC_FIELDS.includes(name))
