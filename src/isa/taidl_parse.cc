// Reader of `.taidl`. docs/taidl.md has the grammar.
#include <algorithm>
#include <set>

#include "isa/builder.h"
#include "isa/expression_reader.h"
#include "isa/native_semantics.h"
#include "isa/semantics_reader.h"
#include "isa/taidl.h"

namespace act::isa {
namespace {

constexpr size_t kMaxFaults = 50;

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

class Reader {
 public:
  explicit Reader(const SourceText& source)
      : source_(source), cursor_(source, {.newlines = false, .comments = true}), acc_(MakeAccelerator("")) {}

  StatusOr<Accelerator> Read() {
    if (source_.text().starts_with("\xef\xbb\xbf")) cursor_.set_position(3);
    bool first = true;
    while (SkipToItem() && faults_.size() < kMaxFaults) {
      const size_t begin = cursor_.position();
      const std::string_view word = cursor_.PeekName();
      Status status;
      if (word == "accelerator") {
        status = ReadHead(first);
      } else if (first) {
        status = cursor_.Expected("'accelerator' and a name as the first line");
      } else if (word == "buffer") {
        status = ReadBuffer();
      } else if (word == "state") {
        status = ReadState();
      } else if (word == "instruction") {
        status = ReadInstruction();
      } else {
        status = cursor_.Expected("'buffer', 'state' or 'instruction'");
      }
      first = false;
      if (!status.ok()) Fail(std::move(status));
      // Whatever went wrong, the next item begins on a later line.
      if (cursor_.position() == begin) cursor_.TakeName();
    }
    if (cursor_.unclosed_comment()) {
      faults_.push_back(cursor_.SyntaxError("isa-comment", "the comment is not closed; end it by '*/'",
                                            *cursor_.unclosed_comment()));
    }
    if (first && faults_.empty()) {
      faults_.push_back(cursor_.SyntaxError(
          "isa-empty-file", "the text holds no accelerator; begin it by 'accelerator' and a name",
          cursor_.position()));
    }
    if (faults_.empty()) return std::move(acc_);
    return Status(std::move(faults_));
  }

 private:
  // Skips blank lines; false at the end.
  bool SkipToItem() {
    cursor_.set_depth(0);
    while (!cursor_.AtEnd() && cursor_.AtLineEnd()) cursor_.Take('\n');
    return !cursor_.AtEnd();
  }

  void SkipLine() {
    cursor_.set_depth(0);
    const std::string_view text = source_.text();
    const size_t newline = text.find('\n', std::min(cursor_.position(), text.size()));
    cursor_.set_position(newline == std::string_view::npos ? text.size() : newline);
  }

  void Fail(Status status) {
    for (Diagnostic& d : status.mutable_diagnostics()) {
      if (faults_.size() >= kMaxFaults) break;
      if (d.location.line == 0) d.location = source_.LocationAt(cursor_.position());
      if (d.line_text.empty() && d.location.file == source_.file()) d.line_text = LineText(d.location.line);
      faults_.push_back(std::move(d));
    }
    SkipLine();
  }

  std::string LineText(int32_t line) {
    if (line_offsets_.empty()) {
      line_offsets_.push_back(0);
      for (size_t i = 0; i < source_.text().size(); ++i) {
        if (source_.text()[i] == '\n') line_offsets_.push_back(i + 1);
      }
    }
    const size_t index = static_cast<size_t>(line - 1);
    return index < line_offsets_.size() ? std::string(source_.LineAt(line_offsets_[index])) : std::string();
  }

  SourceLocation Here() {
    cursor_.SkipBlanks();
    return source_.LocationAt(cursor_.position());
  }

  Status EndOfLine(std::string_view what = "the end of the line") {
    if (cursor_.AtLineEnd()) return Status();
    return cursor_.Expected(what);
  }

  // A failure without a place gets this one.
  static Status At(Status status, const SourceLocation& location) {
    for (Diagnostic& d : status.mutable_diagnostics()) {
      if (d.location.line == 0) d.location = location;
    }
    return status;
  }

  // The line at hand is a better place than the instruction's head.
  Status AtLine(Status status, size_t offset) const {
    for (Diagnostic& d : status.mutable_diagnostics()) d.location = source_.LocationAt(offset);
    return status;
  }

  StatusOr<std::string> TakeName(std::string_view what) {
    const std::string name(cursor_.TakeName());
    if (name.empty()) return Status(cursor_.Expected(what));
    return name;
  }

  Status ReadHead(bool first) {
    const SourceLocation location = Here();
    cursor_.TakeName();
    if (!first) {
      return cursor_.SyntaxError("isa-two-accelerators",
                                 "a file holds one accelerator, named in its first line; remove this line",
                                 cursor_.position() - 11);
    }
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    const std::string_view text = source_.text();
    size_t stop = begin;
    while (stop < text.size() && (IsNameChar(text[stop]) || text[stop] == '.' || text[stop] == '-')) ++stop;
    cursor_.set_position(stop);
    if (stop == begin) return cursor_.Expected("the accelerator's name");
    acc_.name = std::string(text.substr(begin, stop - begin));
    ACT_RETURN_IF_ERROR(At(CheckAcceleratorName(acc_.name), location));
    return EndOfLine();
  }

  // A constant expression.
  StatusOr<int64_t> ReadConstant() {
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    ACT_ASSIGN_OR_RETURN(const Expression expression,
                         ReadExpression(&cursor_, NameTable{}, NameStyle::kPlain));
    StatusOr<int64_t> value = Evaluate(expression, Environment{});
    if (value.ok()) return value;
    return Status(cursor_.ValueError("isa-constant", value.status().front().message, begin));
  }

  StatusOr<std::vector<int64_t>> ReadDims() {
    std::vector<int64_t> dims;
    if (!cursor_.Take('[')) return Status(cursor_.Expected("'['"));
    cursor_.EnterBracket();
    if (cursor_.Peek() != ']') {
      do {
        ACT_ASSIGN_OR_RETURN(const int64_t dim, ReadConstant());
        dims.push_back(dim);
      } while (cursor_.Take(','));
    }
    if (cursor_.Peek() != ']') return Status(cursor_.Expected("',' or ']'"));
    cursor_.LeaveBracket();
    cursor_.Take(']');
    return dims;
  }

  // buffer NAME [addresses] of TYPE [unit]
  Status ReadBuffer() {
    const SourceLocation location = Here();
    cursor_.TakeName();
    ACT_ASSIGN_OR_RETURN(const std::string name, TakeName("the buffer's name"));
    bad_buffers_.insert(name);  // until it is added
    ACT_ASSIGN_OR_RETURN(std::vector<int64_t> addresses, ReadDims());
    if (!cursor_.TakeWord("of")) return cursor_.Expected("'of' and the type of one addressed unit");
    ACT_ASSIGN_OR_RETURN(const std::string type, TakeName("an element type"));
    std::vector<int64_t> unit;
    if (cursor_.Peek() == '[') {
      ACT_ASSIGN_OR_RETURN(unit, ReadDims());
    }
    ACT_RETURN_IF_ERROR(EndOfLine());
    ACT_RETURN_IF_ERROR(AddBuffer(&acc_, name, std::move(addresses), std::move(unit), type, location));
    bad_buffers_.erase(name);
    return Status();
  }

  // state NAME [= INTEGER]
  Status ReadState() {
    const SourceLocation location = Here();
    cursor_.TakeName();
    ACT_ASSIGN_OR_RETURN(const std::string name, TakeName("the state's name"));
    int64_t initial = 0;
    if (cursor_.Take('=')) {
      ACT_ASSIGN_OR_RETURN(initial, ReadConstant());
    }
    ACT_RETURN_IF_ERROR(EndOfLine());
    return AddState(&acc_, name, initial, location);
  }

  // instruction NAME(computational; addressing), then its lines.
  Status ReadInstruction() {
    const SourceLocation location = Here();
    cursor_.TakeName();
    ACT_ASSIGN_OR_RETURN(const std::string name, TakeName("the instruction's name"));
    std::vector<std::string> lists[2];
    if (!cursor_.Take('(')) return cursor_.Expected("'(' and the attributes");
    cursor_.EnterBracket();
    size_t list = 0;
    while (cursor_.Peek() != ')') {
      if (cursor_.Take(';')) {
        if (++list > 1) return cursor_.Expected("')', since ';' stands once");
        continue;
      }
      ACT_ASSIGN_OR_RETURN(std::string attribute, TakeName("an attribute, ';' or ')'"));
      lists[list].push_back(std::move(attribute));
      if (cursor_.Take(',')) {
        if (cursor_.PeekName().empty()) return cursor_.Expected("an attribute after ','");
      } else if (cursor_.Peek() != ';' && cursor_.Peek() != ')') {
        return cursor_.Expected("',', ';' or ')'");
      }
    }
    cursor_.LeaveBracket();
    cursor_.Take(')');
    ACT_RETURN_IF_ERROR(EndOfLine());
    const size_t before = acc_.instructions.size();
    Status added = AddInstruction(&acc_, name, std::move(lists[0]), std::move(lists[1]), location);
    if (!added.ok()) {
      // The lines that follow are read all the same, for their own faults.
      Fail(std::move(added));
      acc_.instructions.resize(before);
      Instruction broken;
      broken.name = name;
      broken.location = location;
      acc_.instructions.push_back(std::move(broken));
      SkipBody();
      acc_.instructions.pop_back();
      return Status();
    }
    ReadBody();
    return Status();
  }

  bool AtStatement() {
    const size_t begin = cursor_.position();
    const bool statement = !cursor_.TakeName().empty() && cursor_.Peek() == '=' && !cursor_.LooksAt("==");
    cursor_.set_position(begin);
    return statement;
  }

  bool AtNextItem() {
    const std::string_view word = cursor_.PeekName();
    return (word == "instruction" || word == "buffer" || word == "state" || word == "accelerator") &&
           !AtStatement();
  }

  void SkipBody() {
    while (SkipToItem() && !AtNextItem()) SkipLine();
  }

  Instruction& current() { return acc_.instructions.back(); }
  size_t index() const { return acc_.instructions.size() - 1; }

  void ReadBody() {
    const std::vector<std::string> state_names = acc_.state_names();
    const std::vector<std::string> computational = current().computational, addressing = current().addressing;
    const NameTable names{computational, addressing, state_names};
    Body body;
    while (SkipToItem() && !AtNextItem() && faults_.size() < kMaxFaults) {
      const size_t begin = cursor_.position();
      Status status = ReadLine(names, &body);
      if (!status.ok()) Fail(std::move(status));
      if (cursor_.position() == begin) SkipLine();
    }
    FinishBody(names, &body);
  }

  struct Body {
    std::vector<Region> inputs, outputs;
    std::set<std::string, std::less<>> seen;  // lines that may stand once
    std::set<std::string, std::less<>> region_names;
    bool regions_bad = false;
    bool regions_set = false;
    std::optional<NativeSemanticsReader> statements;
    bool has_block = false;
    size_t semantics_begin = 0, semantics_end = 0;
  };

  Status Once(Body* body, std::string_view what, size_t offset) {
    if (body->seen.insert(std::string(what)).second) return Status();
    return cursor_.SyntaxError(
        "isa-line-twice",
        "instruction " + Quoted(current().name) + " has two '" + std::string(what) + "' lines; keep one",
        offset);
  }

  // One line of an instruction's body.
  Status ReadLine(const NameTable& names, Body* body) {
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    if (AtStatement()) return ReadStatement(names, body);
    const std::string word(cursor_.TakeName());
    if (word == "ENTRY") {
      cursor_.set_position(begin);
      return ReadBlock(names, body);
    }
    if (word == "in" || word == "out") return ReadRegion(names, body, word == "out", begin);
    if (word == "where") {
      ACT_ASSIGN_OR_RETURN(Condition condition, ReadCondition(&cursor_, names, NameStyle::kPlain));
      ACT_RETURN_IF_ERROR(EndOfLine("'and', 'or' or the end of the line"));
      return AddConstraintValue(&acc_, index(), std::move(condition));
    }
    if (word == "cost") {
      ACT_RETURN_IF_ERROR(Once(body, word, begin));
      ACT_ASSIGN_OR_RETURN(Expression cost, ReadExpression(&cursor_, names, NameStyle::kPlain));
      ACT_RETURN_IF_ERROR(SetCostValue(&acc_, index(), std::move(cost)));
      cursor_.SkipBlanks();
      const size_t unit = cursor_.position();
      if (cursor_.TakeWord("unit")) return ReadUnit(body, unit);
      return EndOfLine("'unit' or the end of the line");
    }
    if (word == "unit") return ReadUnit(body, begin);
    if (word == "update") {
      ACT_ASSIGN_OR_RETURN(Update update, ReadUpdate(&cursor_, names, NameStyle::kPlain));
      ACT_RETURN_IF_ERROR(EndOfLine());
      return AddUpdateValue(&acc_, index(), std::move(update));
    }
    if (word == "mnemonic") {
      ACT_RETURN_IF_ERROR(Once(body, word, begin));
      ACT_ASSIGN_OR_RETURN(std::string mnemonic, TakeName("the mnemonic"));
      while (cursor_.Take('.')) {
        mnemonic += ".";
        mnemonic += cursor_.TakeName();
        mnemonic += cursor_.TakeDigits();
      }
      ACT_RETURN_IF_ERROR(EndOfLine());
      return AtLine(SetMnemonic(&acc_, index(), std::move(mnemonic)), begin);
    }
    if (word == "numerics") {
      ACT_RETURN_IF_ERROR(Once(body, word, begin));
      ACT_ASSIGN_OR_RETURN(const std::string numerics, TakeName("exact, approx or flush"));
      ACT_RETURN_IF_ERROR(EndOfLine());
      return AtLine(SetNumerics(&acc_, index(), numerics), begin);
    }
    if (word == "inplace") return ReadMark(body, PlacementMark::kInplace, word, begin);
    if (word == "apart") return ReadMark(body, PlacementMark::kApart, word, begin);
    if (word == "no_partial_overlap") return ReadMark(body, PlacementMark::kNoPartialOverlap, word, begin);
    cursor_.set_position(begin);
    return cursor_.Expected(
        "a line of the instruction (in, out, where, cost, unit, update, mnemonic, numerics, inplace, apart, "
        "no_partial_overlap, 'value = operation(...)', ENTRY)");
  }

  Status ReadUnit(Body* body, size_t begin) {
    ACT_RETURN_IF_ERROR(Once(body, "unit", begin));
    ACT_ASSIGN_OR_RETURN(std::string unit, TakeName("the unit's name"));
    ACT_RETURN_IF_ERROR(EndOfLine());
    return AtLine(SetUnit(&acc_, index(), std::move(unit)), begin);
  }

  // in [NAME =] BUFFER[start : +size, ...]; also "+size step stride", and sizes or starts of their own.
  Status ReadRegion(const NameTable& names, Body* body, bool is_output, size_t begin) {
    const bool were_bad = std::exchange(body->regions_bad, true);  // until the line is through
    if (body->regions_set) {
      return cursor_.SyntaxError(
          "isa-region-late",
          "the 'in' and 'out' lines of an instruction stand before its semantics; move "
          "this line up",
          begin);
    }
    Region region;
    region.location = source_.LocationAt(begin);
    cursor_.SkipBlanks();
    size_t name_offset = cursor_.position();
    ACT_ASSIGN_OR_RETURN(std::string name, TakeName("a name or a buffer"));
    if (cursor_.Take('=')) {
      region.name = name;
      const bool is_new = body->region_names.insert(name).second;
      if (!IsFreeValueName(names, name) || !is_new) {
        return cursor_.ValueError(
            "isa-value-name",
            "instruction " + Quoted(current().name) + ": the region name " + Quoted(name) +
                (is_new ? " is that of an attribute, state or element type" : " stands twice") +
                "; choose another name",
            name_offset);
      }
      cursor_.SkipBlanks();
      name_offset = cursor_.position();
      ACT_ASSIGN_OR_RETURN(name, TakeName("a buffer"));
    }
    const auto buffer = acc_.FindBuffer(name);
    if (!buffer) {
      if (bad_buffers_.contains(name)) {
        SkipLine();
        return Status();
      }
      std::string message =
          "instruction " + Quoted(current().name) + ": there is no buffer " + Quoted(name) + "; buffers are";
      for (const Buffer& b : acc_.buffers) message += " " + b.name;
      return cursor_.ValueError("isa-unknown-buffer", std::move(message), name_offset);
    }
    region.buffer = *buffer;
    ACT_RETURN_IF_ERROR(ReadWindow(names, &region));
    ACT_RETURN_IF_ERROR(EndOfLine());
    (is_output ? body->outputs : body->inputs).push_back(std::move(region));
    body->regions_bad = were_bad;
    return Status();
  }

  Status ReadWindow(const NameTable& names, Region* region) {
    if (!cursor_.Take('[')) return cursor_.Expected("'[' and the window");
    cursor_.EnterBracket();
    if (cursor_.Peek() != ']') {
      do {
        if (cursor_.Peek() != '+') {
          ACT_ASSIGN_OR_RETURN(Expression start, ReadExpression(&cursor_, names, NameStyle::kPlain));
          region->starts.push_back(std::move(start));
          if (!cursor_.Take(':')) continue;
          if (cursor_.Peek() != '+') return cursor_.Expected("'+' and the size, as in [start : +size]");
        }
        cursor_.Take('+');
        ACT_ASSIGN_OR_RETURN(Expression size, ReadExpression(&cursor_, names, NameStyle::kPlain));
        region->sizes.push_back(std::move(size));
        cursor_.SkipBlanks();
        const size_t step = cursor_.position();
        if (cursor_.TakeWord("step")) {
          ACT_ASSIGN_OR_RETURN(Expression stride, ReadExpression(&cursor_, names, NameStyle::kPlain));
          region->strides.push_back(std::move(stride));
        }
        if (!region->strides.empty() && region->strides.size() != region->sizes.size()) {
          return cursor_.SyntaxError("isa-region-steps",
                                     "either every size of a window has a 'step' or none has; complete them",
                                     step);
        }
      } while (cursor_.Take(','));
    }
    if (cursor_.Peek() != ']') return cursor_.Expected("',' or ']'");
    cursor_.LeaveBracket();
    cursor_.Take(']');
    return Status();
  }

  // inplace NAME {, NAME}: input regions by name.
  Status ReadMark(Body* body, PlacementMark mark, std::string_view word, size_t begin) {
    ACT_RETURN_IF_ERROR(Once(body, word, begin));
    std::vector<bool> flags(body->inputs.size(), false);
    do {
      cursor_.SkipBlanks();
      const size_t offset = cursor_.position();
      ACT_ASSIGN_OR_RETURN(const std::string name, TakeName("the name of an input region"));
      const auto found = std::find_if(body->inputs.begin(), body->inputs.end(),
                                      [&](const Region& region) { return region.name == name; });
      if (found == body->inputs.end()) {
        if (body->regions_bad) continue;
        return cursor_.ValueError("isa-mark",
                                  "instruction " + Quoted(current().name) + ", " + std::string(word) +
                                      ": there is no input named " + Quoted(name) +
                                      " above this line; name an 'in' region so",
                                  offset);
      }
      flags[static_cast<size_t>(found - body->inputs.begin())] = true;
    } while (cursor_.Take(','));
    ACT_RETURN_IF_ERROR(EndOfLine());
    marks_.push_back({mark, std::move(flags)});
    return Status();
  }

  // Gives the instruction its regions; what follows is semantics. False if a region was faulty.
  bool SetRegions(Body* body) {
    if (body->regions_set) return !body->regions_bad;
    body->regions_set = true;
    if (body->regions_bad) return false;
    const size_t inputs = body->inputs.size();
    for (const bool is_output : {false, true}) {
      Status status = is_output ? SetOutputRegions(&acc_, index(), std::move(body->outputs))
                                : SetInputRegions(&acc_, index(), std::move(body->inputs));
      if (status.ok()) continue;
      const size_t position = cursor_.position();
      Fail(std::move(status));
      cursor_.set_position(position);
      body->regions_bad = true;
      return false;
    }
    for (Mark& mark : marks_) {
      mark.flags.resize(inputs, false);
      const Status status = SetPlacement(&acc_, index(), mark.mark, std::move(mark.flags));
      if (!status.ok()) body->regions_bad = true;
    }
    marks_.clear();
    return true;
  }

  Status OneForm(const Body& body, size_t offset) {
    if (!body.has_block && !(body.statements && body.statements->any())) return Status();
    return cursor_.SyntaxError("isa-two-semantics",
                               "instruction " + Quoted(current().name) +
                                   " has its semantics twice; write either one ENTRY block or statements",
                               offset);
  }

  Status ReadStatement(const NameTable& names, Body* body) {
    const size_t begin = cursor_.position();
    if (body->has_block) return OneForm(*body, begin);
    if (!SetRegions(body)) {
      SkipLine();  // the regions' own faults come first
      return Status();
    }
    if (!body->statements) {
      body->statements.emplace(&cursor_, acc_, current(), names);
      body->semantics_begin = begin;
    }
    const Status status = body->statements->ReadStatement();
    if (status.ok() && !cursor_.AtLineEnd()) SkipLine();
    body->semantics_end = cursor_.position();
    return status;
  }

  Status ReadBlock(const NameTable& names, Body* body) {
    (void)names;
    const size_t begin = cursor_.position();
    ACT_RETURN_IF_ERROR(OneForm(*body, begin));
    body->has_block = true;
    SetRegions(body);
    StatusOr<SemanticsResult> result = ReadSemanticsBlock(&cursor_, acc_, current());
    if (!result.ok()) {
      // The rest of the block is not read as lines of the instruction.
      const size_t close = source_.text().find('}', cursor_.position());
      cursor_.set_position(close == std::string_view::npos ? source_.text().size() : close);
      return body->regions_bad ? Status() : result.status();
    }
    if (body->regions_bad) return EndOfLine();
    for (Diagnostic& fault : result->faults) {
      if (faults_.size() < kMaxFaults) faults_.push_back(std::move(fault));
    }
    current().semantics = std::move(result->semantics);
    current().semantics_text = std::string(cursor_.Text(begin, cursor_.position()));
    return EndOfLine();
  }

  void FinishBody(const NameTable& names, Body* body) {
    (void)names;
    const bool good = SetRegions(body);
    marks_.clear();
    if (!good || !body->statements) return;
    auto semantics = body->statements->Finish();
    for (Diagnostic& fault : body->statements->faults()) {
      if (faults_.size() < kMaxFaults) faults_.push_back(std::move(fault));
    }
    if (!semantics.ok()) {
      const size_t position = cursor_.position();
      Fail(semantics.status());
      cursor_.set_position(position);
      return;
    }
    current().semantics = std::move(*semantics);
    current().semantics_text = std::string(cursor_.Text(body->semantics_begin, body->semantics_end));
  }

  struct Mark {
    PlacementMark mark;
    std::vector<bool> flags;
  };

  const SourceText& source_;
  Cursor cursor_;
  Accelerator acc_;
  std::vector<Diagnostic> faults_;
  std::set<std::string, std::less<>> bad_buffers_;
  std::vector<Mark> marks_;
  std::vector<size_t> line_offsets_;
};

}  // namespace

StatusOr<Accelerator> ParseTaidl(const SourceText& source) { return Reader(source).Read(); }

}  // namespace act::isa
