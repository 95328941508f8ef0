import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { Values } from './provider-values.ts'

interface HeadersFieldProps {
  readonly form: UseFormReturnType<Values>
  readonly readOnly: boolean
}

/** Headers that are sent with every request to the provider. */
export function HeadersField({ form, readOnly }: HeadersFieldProps) {
  const { t } = useTranslation('providers')
  const { headers } = form.getValues()
  return (
    <Fieldset legend={t('headers.title')}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {t('headers.hint')}
        </Text>
        {form.errors.headers && (
          <Text size="sm" c="red" tabIndex={-1} data-invalid-group={t('headers.title')}>
            {form.errors.headers}
          </Text>
        )}
        {headers.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity
          <Group key={index} align="flex-start" gap="xs">
            <TextInput
              aria-label={t('headers.nameOf', { number: index + 1 })}
              placeholder={t('headers.name')}
              flex="1 1 10rem"
              {...form.getInputProps(`headers.${index}.name`)}
            />
            <TextInput
              aria-label={t('headers.valueOf', { number: index + 1 })}
              placeholder={t('headers.value')}
              flex="2 1 12rem"
              {...form.getInputProps(`headers.${index}.value`)}
            />
            {!readOnly && (
              <Button
                variant="default"
                aria-label={t('headers.removeOf', { number: index + 1 })}
                onClick={() => form.removeListItem('headers', index)}
              >
                {t('headers.remove')}
              </Button>
            )}
          </Group>
        ))}
        {!readOnly && (
          <Group>
            <Button variant="default" size="xs" onClick={() => form.insertListItem('headers', { name: '', value: '' })}>
              {t('headers.add')}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}
