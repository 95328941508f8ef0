import { Button, Checkbox, Collapse, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import type { TryValues } from './try-request.ts'
import { FIELD_VALUES } from './vocabulary.ts'

interface TryFieldsProps {
  readonly form: UseFormReturnType<TryValues>
}

const TEXT = { autosize: true, minRows: 4, maxRows: 14 } as const

/** The text, the point at which rules read it, and who sends it. */
export function TryFields({ form }: TryFieldsProps) {
  const { t } = useTranslation('policies')
  const { choices } = useApplicationNames()
  const [opened, { toggle }] = useDisclosure()
  const { value: tools, ...toolsInput } = form.getInputProps('tools')
  const isAnswer = form.values.point === 'output'
  return (
    <>
      <Select
        label={t('try.point')}
        allowDeselect={false}
        data={(FIELD_VALUES.at ?? []).map((value) => ({ value, label: t(`try.points.${value as 'input'}`) }))}
        {...form.getInputProps('point')}
      />
      {isAnswer && (
        <Textarea label={t('try.request')} description={t('try.requestHint')} {...TEXT} {...form.getInputProps('request')} />
      )}
      <Textarea
        label={t(isAnswer ? 'try.answer' : 'try.text')}
        description={t('try.textHint')}
        {...TEXT}
        {...form.getInputProps('text')}
      />
      <TagsInput
        label={t('try.tools')}
        description={t('try.toolsHint')}
        {...toolsInput}
        value={[...(tools as readonly string[])]}
      />
      {isAnswer && (
        <Textarea
          label={t('try.calls')}
          description={t('try.callsHint')}
          placeholder={t('try.callsExample')}
          {...TEXT}
          minRows={2}
          spellCheck={false}
          {...form.getInputProps('calls')}
        />
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        ml={-8}
        onClick={toggle}
        aria-expanded={opened}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('try.sender')}
      </Button>
      <Collapse expanded={opened}>
        <Stack gap="sm">
          <Select
            label={t('try.application')}
            placeholder={t('try.anyApplication')}
            clearable
            searchable
            data={[...choices]}
            {...form.getInputProps('application')}
          />
          <TextInput label={t('try.user')} {...form.getInputProps('user')} />
          <TextInput label={t('try.role')} {...form.getInputProps('role')} />
          <TextInput label={t('try.department')} {...form.getInputProps('department')} />
          <Textarea
            label={t('try.attributes')}
            placeholder={t('try.attributesExample')}
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps('attributes')}
          />
          <Checkbox label={t('try.verified')} {...form.getInputProps('verified', { type: 'checkbox' })} />
        </Stack>
      </Collapse>
    </>
  )
}
