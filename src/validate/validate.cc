#include "validate/validate.h"

#include "validate/certificate.h"
#include "validate/walk.h"

namespace act::validate {

StatusOr<ValidateReport> Validate(const isa::Accelerator& accelerator, const assembly::Program& program,
                                  const assembly::SelectedGraph* certificate,
                                  const ValidateOptions& options) {
  ACT_RETURN_IF_ERROR(assembly::CheckProgram(accelerator, program));
  TermTable terms(accelerator);
  Semantics semantics(&terms, options.max_value_bytes, options.max_work_bytes);
  std::optional<Certified> certified;
  if (certificate != nullptr) {
    // First, so that terms carry the certificate's names in every message.
    ACT_ASSIGN_OR_RETURN(certified, EvaluateCertificate(*certificate, program, &terms, &semantics));
  }
  Walker walker(program, &terms, &semantics, certified && options.check_names ? &certified->names : nullptr);
  ACT_RETURN_IF_ERROR(walker.Run(options));
  for (size_t k = 0; certified && k < program.outputs.size(); ++k) {
    ACT_RETURN_IF_ERROR(walker.CheckOutput(k, certified->outputs[k]));
  }
  ValidateReport report;
  report.calls = walker.calls();
  report.terms = terms.size();
  report.claims_result = certified.has_value();
  return report;
}

}  // namespace act::validate
