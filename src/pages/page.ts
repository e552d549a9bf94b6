import type { TopLevelSpec } from 'vega-lite';

/** A page that stands alone: it asks nothing of the network and reads well narrow, wide, light and dark. */
export type Page = {
  readonly title: string;
  /** What the page shows and its main finding, in a sentence or two. */
  readonly lead: string;
  readonly sections: readonly Section[];
  /** The command that makes the page again. */
  readonly command: string;
};

/** A part of a page, below a heading of its own. */
export type Section = {
  readonly title: string;
  readonly blocks: readonly Block[];
};

/** What stands in a section. Texts are plain: the page escapes them. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'table'; readonly table: PageTable }
  | { readonly kind: 'chart'; readonly chart: Chart }
  | { readonly kind: 'timeline'; readonly timeline: Timeline };

/** A named figure, with what it means for the reader. */
export type Fact = {
  readonly name: string;
  readonly value: string;
  readonly tone?: Tone;
};

/** How a figure, a cell or a bar is meant; never told by its colour alone. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet';

/** A table with a caption; it scrolls by itself where the page is too narrow. */
export type PageTable = {
  readonly caption: string;
  readonly columns: readonly { readonly title: string; readonly isNumber?: boolean }[];
  readonly rows: readonly (readonly (string | { readonly text: string; readonly tone: Tone })[])[];
};

/** A plot by Vega-Lite. Its data stand in the spec: nothing is loaded. */
export type Chart = {
  readonly title: string;
  /** What a reader who can't see it has to know: its finding, with figures. */
  readonly description: string;
  /** Without width, colours and fonts, which are the page's: the same in each chart. */
  readonly spec: PlotSpec;
};

/** What a chart says to Vega-Lite: the page sets the rest. Written out for each kind of spec. */
export type PlotSpec = OneByOne<TopLevelSpec>;

type OneByOne<Spec> = Spec extends unknown
  ? Omit<Spec, '$schema' | 'config' | 'title' | 'background' | 'width' | 'autosize' | 'padding'>
  : never;

/** Bars along one axis of time, a row for each activity. */
export type Timeline = {
  readonly caption: string;
  /** What each tone of a bar stands for, in a word or two. */
  readonly legend?: Readonly<Partial<Record<Tone, string>>>;
  readonly rows: readonly {
    readonly label: string;
    readonly bars: readonly {
      readonly fromMs: number;
      readonly toMs: number;
      readonly tone: Tone;
      /** What the bar is, in words: shown on focus and hover, and read aloud. */
      readonly text: string;
    }[];
  }[];
};
