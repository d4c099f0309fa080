# Stands in for Homebrew: reads a formula, installs an unpacked archive as it says into
# a prefix, runs its test, and prints what it would download.
#
#	ruby formula.rb FORMULA SYSTEM MACHINE ARCHIVE_DIRECTORY PREFIX

require "fileutils"
require "pathname"

class Directory
  def initialize(path) = @path = path

  def install(what)
    files = what.is_a?(Hash) ? what : { what => File.basename(what) }
    FileUtils.mkdir_p(@path)
    files.each do |from, to|
      raise "#{from} is not in the archive" unless File.file?(from)
      FileUtils.cp(from, File.join(@path, to), preserve: true)
    end
  end

  def to_s = @path
end

class Formula
  SYSTEM, MACHINE, PREFIX = ARGV.values_at(1, 2, 4)
  class << self
    attr_reader :said, :tested

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) do |value|
        @said ||= {}
        raise "#{word} is said twice" if @said.key?(word)
        @said[word] = value
      end
    end
    { on_macos: %w[darwin SYSTEM], on_linux: %w[linux SYSTEM], on_arm: %w[arm64 MACHINE], on_intel: %w[amd64 MACHINE] }
      .each { |word, (value, of)| define_method(word) { |&block| block.call if const_get(of) == value } }

    def test(&block) = @tested = block

    def inherited(formula)
      super
      @@formula = formula
    end

    def formula = @@formula
  end

  def version = self.class.said.fetch(:version)

  { bin: "bin", bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d", man1: "share/man/man1" }
    .each { |word, path| define_method(word) { Directory.new(File.join(PREFIX, path)) } }

  def shell_output(command)
    out = `#{command}`
    raise "#{command}: #{$?}" unless $?.success?
    out
  end

  def assert_match(want, got)
    raise "#{got.inspect} does not have #{want.inspect}" unless got.include?(want)
  end
end

load ARGV[0]
made = Formula.formula.new
Dir.chdir(ARGV[3]) { made.install }
made.instance_exec(&Formula.formula.tested)
puts Formula.formula.said.values_at(:url, :sha256)
