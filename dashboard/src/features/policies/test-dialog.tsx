import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stringify } from 'yaml'
import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyError } from '../../ui/notify.ts'
import type { StoredTest } from './stored-test.ts'
import { FIELD_VALUES } from './vocabulary.ts'
import { readMap } from './yaml-map.ts'

interface TestDialogProps {
  /** Undefined: a new test. */
  readonly test: StoredTest | undefined
  readonly onClose: () => void
}

const NEW = { input: { content: { text: '' }, user: { role: '' } }, expect: { verdict: 'deny' } }
const REFRESH = ['/admin/v1/policy-tests']

/** Adds or edits a stored test. */
export function TestDialog({ test, onClose }: TestDialogProps) {
  const { t } = useTranslation('policies')
  const [isDirty, setDirty] = useState(false)
  const options = { refresh: REFRESH, onDone: onClose }
  const create = useChange('post', '/admin/v1/policy-tests', options)
  const replace = useChange('put', '/admin/v1/policy-tests/{id}', options)
  const remove = useChange('delete', '/admin/v1/policy-tests/{id}', options)
  const isPending = create.isPending || replace.isPending
  const save = async ({ name, at, input, expect }: TestValues) => {
    const body = { name: name.trim(), at, input: readMap(input) ?? {}, expect: readMap(expect) ?? {} }
    await (test ? replace.mutateAsync({ params: { path: { id: test.id } }, body }) : create.mutateAsync({ body })).catch(
      notifyError,
    )
  }
  return (
    <FormModal opened unsaved={isDirty && !isPending} onClose={onClose} size="lg" title={t(test ? 'tests.edit' : 'tests.add')}>
      <Stack>
        <TestForm test={test} pending={isPending} onDirty={setDirty} onSave={(values) => void save(values)} />
        {test && (
          <Group>
            <ConfirmButton
              size="sm"
              question={t('tests.deleteQuestion')}
              consequence={t('tests.deleteConsequence', { name: test.name })}
              onConfirm={() => remove.mutateAsync({ params: { path: { id: test.id } } })}
            >
              {t('tests.delete')}
            </ConfirmButton>
          </Group>
        )}
      </Stack>
    </FormModal>
  )
}

interface TestValues {
  readonly name: string
  readonly at: StoredTest['at']
  readonly input: string
  readonly expect: string
}

interface TestFormProps extends Pick<TestDialogProps, 'test'> {
  readonly pending: boolean
  readonly onDirty: (dirty: boolean) => void
  readonly onSave: (values: TestValues) => void
}

/** Input and expectation are YAML with the names of conditions. */
function TestForm({ test, pending, onDirty, onSave }: TestFormProps) {
  const { t } = useTranslation('policies')
  const isMap = (text: string) => (readMap(text) === undefined ? t('tests.yamlInvalid') : null)
  const form = useForm<TestValues>({
    initialValues: {
      name: test?.name ?? '',
      at: test?.at ?? 'input',
      input: stringify(test?.input ?? NEW.input),
      expect: stringify(test?.expect ?? NEW.expect),
    },
    onValuesChange: () => onDirty(true),
    validate: { name: (name) => (name.trim() === '' ? t('tests.nameMissing') : null), input: isMap, expect: isMap },
  })
  const yaml = { autosize: true, minRows: 3, maxRows: 14, spellCheck: false, styles: { input: { fontFamily: 'monospace' } } }
  return (
    <form onSubmit={form.onSubmit(onSave)} noValidate>
      <Stack>
        <TextInput
          label={t('tests.name')}
          description={t('tests.nameHint')}
          required
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <Select
          label={t('tests.point')}
          allowDeselect={false}
          data={[...(FIELD_VALUES.at ?? [])]}
          {...form.getInputProps('at')}
        />
        <Textarea label={t('tests.input')} description={t('tests.inputHint')} {...yaml} {...form.getInputProps('input')} />
        <Textarea label={t('tests.expect')} description={t('tests.expectHint')} {...yaml} {...form.getInputProps('expect')} />
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            {t('tests.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
