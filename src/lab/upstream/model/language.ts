/** Languages that the lab's model writes. */
export const languages = ['en', 'de', 'fr', 'es', 'zh'] as const;

/** One of {@link languages}, as an ISO 639-1 code. */
export type Language = (typeof languages)[number];

/** Common words that the other languages of the list don't share. */
const commonWords: Readonly<Record<Exclude<Language, 'zh'>, ReadonlySet<string>>> = {
  en: new Set('the and you your is my with this that have not was for please order'.split(' ')),
  de: new Set(
    'der die das und ich ist nicht mit bitte wann wurde meine mein bestellung für ein auf'.split(
      ' ',
    ),
  ),
  fr: new Set(
    'le les et je vous est pas pour une commande mon ma bonjour que avec été dans'.split(' '),
  ),
  es: new Set('el los y yo usted es pedido para una mi hola que con por está del'.split(' ')),
};

/** Returns the language of a text; English where nothing speaks for another. */
export function detectLanguage(text: string): Language {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const hanLetters = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (hanLetters > 0 && hanLetters * 5 >= letters) return 'zh';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best: Language = 'en';
  let bestCount = 0;
  for (const language of ['en', 'de', 'fr', 'es'] as const) {
    const count = words.filter((word) => commonWords[language].has(word)).length;
    if (count > bestCount) {
      best = language;
      bestCount = count;
    }
  }
  return best;
}

/** Returns whether a value is a language that the model writes. */
export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}
