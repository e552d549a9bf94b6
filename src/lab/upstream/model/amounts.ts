/** Money in a text, in cents, in the order of appearance; the currency is not looked at. */
export function findAmounts(text: string): readonly number[] {
  const amounts: number[] = [];
  for (const match of text.matchAll(moneyPattern)) {
    const cents = toCents(match[1] ?? match[2] ?? '');
    if (cents > 0) amounts.push(cents);
  }
  return amounts;
}

/** Returns the share of the price that a text asks for in (0, 1], or undefined. */
export function findShare(text: string): number | undefined {
  const percent = /(\d{1,3})\s*(?:%|percent|prozent|pour ?cent|por ciento)/iu.exec(text)?.[1];
  if (percent !== undefined) {
    const share = Number(percent) / 100;
    if (share > 0 && share <= 1) return share;
  }
  return /\bhalf\b|\bhälfte\b|\bmoitié\b|\bmitad\b|一半/iu.test(text) ? 0.5 : undefined;
}

const digits = String.raw`\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{2})?|\d+(?:[.,]\d{1,2})?`;
const symbol = String.raw`(?:[€$£¥]|\b(?:EUR|USD|GBP|CNY|RMB)\b)`;
const unit = String.raw`(?:[€$£¥]|(?:EUR|euros?|USD|dollars?|GBP|pounds)\b|元|块|欧元)`;
const moneyPattern = new RegExp(
  String.raw`${symbol}\s?(${digits})|(?<![\w.,-])(${digits})\s?${unit}`,
  'giu',
);

/** Reads "1.234,56", "1,234.56", "12,5" and "12"; the last separator before 1-2 digits is decimal. */
function toCents(written: string): number {
  const parts = /^(.*?)(?:[.,](\d{1,2}))?$/u.exec(written);
  const whole = (parts?.[1] ?? '').replace(/\D/gu, '');
  const fraction = (parts?.[2] ?? '').padEnd(2, '0');
  return Number(whole || '0') * 100 + Number(fraction);
}
